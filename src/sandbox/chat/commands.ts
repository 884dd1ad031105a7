import { ApiError } from './api-error.ts';
import type { CommandBody, CommandOption } from './command-body.ts';
import { COMMAND_TYPES } from './command-types.ts';
import type { Command } from './command.ts';
import type { Payload } from './payload.ts';
import type { Application } from './user.ts';
import type { World } from './world.ts';

const COMMANDS_MAX: Readonly<Record<number, number>> = {
  [COMMAND_TYPES.chat]: 100,
  [COMMAND_TYPES.user]: 15,
  [COMMAND_TYPES.message]: 15,
};

/** Returns the commands of one guild, or the global commands if `guildId` is null. */
export function commandsOf(application: Application, guildId: string | null): Command[] {
  return [...application.commands.values()].filter((command) => command.guildId === guildId);
}

/**
 * Returns the guild's command with this id, or the global one if `guildId` is null. Throws `Unknown
 * application command` if there is none.
 */
export function findCommand(application: Application, guildId: string | null, id: string): Command {
  const command = application.commands.get(id);
  if (!command || command.guildId !== guildId) throw new ApiError('unknownCommand');
  return command;
}

/** Adds a command, or replaces the one with the same name and type. Returns the command and whether it is new. */
export function upsertCommand(
  world: World,
  application: Application,
  guildId: string | null,
  definition: CommandBody,
): { command: Command; created: boolean } {
  const type = definition.type ?? COMMAND_TYPES.chat;
  const scope = commandsOf(application, guildId);
  const existing = scope.find((entry) => entry.definition.name === definition.name && typeOf(entry) === type);
  if (!existing && scope.filter((entry) => typeOf(entry) === type).length >= (COMMANDS_MAX[type] ?? 0)) {
    throw new ApiError('tooManyCommands');
  }
  const command: Command = {
    id: existing?.id ?? world.ids.next(),
    applicationId: application.id,
    guildId,
    version: world.ids.next(),
    definition,
  };
  application.commands.set(command.id, command);
  world.changes.notify();
  return { command, created: !existing };
}

/**
 * Replaces all commands of one guild, or all global commands if `guildId` is null. Commands with the same name and type
 * keep their ids.
 */
export function replaceCommands(
  world: World,
  application: Application,
  guildId: string | null,
  definitions: readonly CommandBody[],
): Command[] {
  const wanted = new Set(definitions.map((entry) => `${entry.type ?? 1} ${entry.name}`));
  for (const command of commandsOf(application, guildId)) {
    if (!wanted.has(`${typeOf(command)} ${command.definition.name}`)) {
      application.commands.delete(command.id);
    }
  }
  return definitions.map((entry) => upsertCommand(world, application, guildId, entry).command);
}

/** Returns the command's type: 1 chat input, 2 user, 3 message. */
export function typeOf(command: Command): number {
  return command.definition.type ?? COMMAND_TYPES.chat;
}

/** Returns a command as the API sends it. */
export function commandPayload(command: Command, withLocalizations: boolean): Payload {
  const { definition } = command;
  const isGlobal = command.guildId === null;
  return {
    id: command.id,
    application_id: command.applicationId,
    version: command.version,
    type: typeOf(command),
    name: definition.name,
    description: definition.description ?? '',
    default_member_permissions: definition.default_member_permissions ?? null,
    nsfw: definition.nsfw ?? false,
    ...(command.guildId === null ? {} : { guild_id: command.guildId }),
    ...(isGlobal
      ? {
          contexts: definition.contexts ?? null,
          integration_types: definition.integration_types ?? [0],
          dm_permission: definition.dm_permission ?? true,
        }
      : {}),
    ...(withLocalizations
      ? {
          name_localizations: definition.name_localizations ?? null,
          description_localizations: definition.description_localizations ?? null,
        }
      : {}),
    ...(definition.options && definition.options.length > 0
      ? { options: definition.options.map((option) => optionPayload(option, withLocalizations)) }
      : {}),
  };
}

/** Returns an option without nulls, empty lists or `required: false`, as Discord does. */
function optionPayload(option: CommandOption, withLocalizations: boolean): Payload {
  const kept = Object.entries(option).filter(
    ([key, value]) =>
      value !== null &&
      value !== undefined &&
      !(key === 'required' && value === false) &&
      (withLocalizations || !key.endsWith('_localizations')),
  );
  return {
    ...Object.fromEntries(kept),
    ...(option.options
      ? { options: option.options.map((inner) => optionPayload(inner, withLocalizations)) }
      : {}),
  };
}
