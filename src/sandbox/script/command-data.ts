import type { CommandOption } from '../chat/command-body.ts';
import { COMMAND_TYPES, OPTION_TYPES } from '../chat/command-types.ts';
import type { Command } from '../chat/command.ts';
import { commandsOf, typeOf } from '../chat/commands.ts';
import type { Guild } from '../chat/guild.ts';
import type { Payload } from '../chat/payload.ts';
import type { Application } from '../chat/user.ts';
import type { World } from '../chat/world.ts';
import {
  type FileInput,
  type Resolution,
  isOfferedType,
  resolveEntity,
  resolveFile,
} from './resolved-data.ts';

/** A member, role or channel that is an option's value: any object with the id. */
interface Mentionable {
  readonly id: string;
}

/** The value that a member enters for an option. */
type OptionValue = string | number | boolean | FileInput | Mentionable;
/** The values that a member enters, by option name. */
export type OptionValues = Readonly<Record<string, OptionValue | undefined>>;

/** A chat command, with the group and the subcommand that the member chose. */
interface FoundCommand {
  readonly application: Application;
  readonly command: Command;
  /** The chosen group and subcommand, outermost first; empty if the command has none. */
  readonly path: readonly CommandOption[];
  readonly fullName: string;
}

/**
 * Finds the command that a member would choose in the client for `/name [group] [subcommand]`. Throws if there is no
 * such command.
 */
export function findChatCommand(world: World, guildId: string | null, text: string): FoundCommand {
  const [name = '', ...rest] = text.replace(/^\//, '').split(' ');
  for (const { application, command } of visibleCommands(world, guildId, COMMAND_TYPES.chat)) {
    if (command.definition.name !== name) continue;
    const path: CommandOption[] = [];
    let options = command.definition.options ?? [];
    for (const part of rest) {
      const next = options.find((option) => option.name === part && option.type <= OPTION_TYPES.group);
      if (!next) throw new Error(`Cannot run "${text}": "/${name}" has no "${part}"`);
      path.push(next);
      options = next.options ?? [];
    }
    if (options.some((option) => option.type <= OPTION_TYPES.group)) {
      throw new Error(`Cannot run "${text}": a subcommand must be chosen`);
    }
    return { application, command, path, fullName: [name, ...rest].join(' ') };
  }
  const known = visibleCommands(world, guildId, COMMAND_TYPES.chat).map(
    (entry) => entry.command.definition.name,
  );
  throw new Error(
    `Cannot run "${text}": there is no such command; registered: ${known.join(', ') || 'none'}`,
  );
}

/**
 * Returns the commands of one type that a guild (or a direct message) offers. A guild's own commands come before global
 * ones.
 */
export function visibleCommands(
  world: World,
  guildId: string | null,
  type: number,
): { application: Application; command: Command }[] {
  return [...world.applications.values()].flatMap((application) => {
    const own = guildId === null ? [] : commandsOf(application, guildId);
    const hasBot = guildId === null || world.guild(guildId).members.has(application.bot.id);
    const global = commandsOf(application, null).filter(
      (command) => isOffered(command, guildId) && (hasBot || isInstalledByUsers(command)),
    );
    return [...own, ...global]
      .filter((command) => typeOf(command) === type)
      .map((command) => ({ application, command }));
  });
}

/**
 * Whether users can install a command for themselves. In the sandbox, every user has installed all such commands, and
 * a server without the bot offers only them.
 */
function isInstalledByUsers({ definition }: Command): boolean {
  return definition.integration_types?.includes(1) ?? false;
}

function isOffered(command: Command, guildId: string | null): boolean {
  const { contexts, dm_permission: inDirectMessages } = command.definition;
  if (contexts) return contexts.includes(guildId === null ? 1 : 0);
  return guildId !== null || (inDirectMessages ?? true);
}

/** Returns the `data` of a command's interaction. Throws if Discord's client would not let the member send it. */
export function commandData(
  world: World,
  guild: Guild | null,
  found: FoundCommand,
  values: OptionValues,
  focused?: string,
): Payload {
  const definitions = (found.path.at(-1) ?? found.command.definition).options ?? [];
  const resolution: Resolution = { world, application: found.application, guild, resolved: {} };
  const given = Object.entries(values).filter(([, value]) => value !== undefined);
  for (const [name] of given) {
    if (!definitions.some((option) => option.name === name)) {
      throw new Error(`Cannot run "/${found.fullName}": it has no option "${name}"`);
    }
  }
  const leaves = definitions.flatMap((option): Payload[] => {
    const value = values[option.name];
    if (value === undefined) {
      if (option.required && focused === undefined) {
        throw new Error(`Cannot run "/${found.fullName}": the option "${option.name}" is required`);
      }
      return [];
    }
    const isFocused = option.name === focused;
    return [
      {
        name: option.name,
        type: option.type,
        value: isFocused ? value : resolveValue(resolution, found.fullName, option, value),
        ...(isFocused ? { focused: true } : {}),
      },
    ];
  });
  const options = found.path.reduceRight<Payload[]>(
    (inner, part) => [{ name: part.name, type: part.type, options: inner }],
    leaves,
  );
  return {
    id: found.command.id,
    name: found.command.definition.name,
    type: COMMAND_TYPES.chat,
    ...(found.command.guildId === null ? {} : { guild_id: found.command.guildId }),
    ...(options.length > 0 ? { options } : {}),
    ...(Object.keys(resolution.resolved).length > 0 ? { resolved: resolution.resolved } : {}),
  };
}

function resolveValue(
  resolution: Resolution,
  command: string,
  option: CommandOption,
  value: OptionValue,
): string | number | boolean {
  const refuse = (why: string): never => {
    throw new Error(`Cannot run "/${command}": option "${option.name}" ${why}`);
  };
  switch (option.type) {
    case OPTION_TYPES.attachment:
      if (!isFile(value)) return refuse('must be a file');
      if (!isOfferedType(option.file_types, value)) return refuse('does not take this type of file');
      return resolveFile(resolution, value);
    case OPTION_TYPES.user:
    case OPTION_TYPES.channel:
    case OPTION_TYPES.role:
    case OPTION_TYPES.mentionable:
      if (typeof value !== 'object' || !('id' in value)) return refuse('must be a member, role or channel');
      return resolveEntity(resolution, value.id) ?? refuse('names nothing that exists here');
    case OPTION_TYPES.boolean:
      return typeof value === 'boolean' ? value : refuse('must be true or false');
    case OPTION_TYPES.integer:
    case OPTION_TYPES.number:
      if (typeof value !== 'number') return refuse('must be a number');
      if (option.type === OPTION_TYPES.integer && !Number.isInteger(value)) return refuse('must be whole');
      if (value < (option.min_value ?? -Infinity) || value > (option.max_value ?? Infinity)) {
        return refuse('is out of its range');
      }
      return isChoice(option, value) ? value : refuse('is none of the choices');
    default:
      if (typeof value !== 'string') return refuse('must be text');
      if (value.length < (option.min_length ?? 0) || value.length > (option.max_length ?? 6000)) {
        return refuse('has a wrong length');
      }
      return isChoice(option, value) ? value : refuse('is none of the choices');
  }
}

function isChoice(option: CommandOption, value: string | number): boolean {
  return (
    !option.choices || option.choices.length === 0 || option.choices.some((choice) => choice.value === value)
  );
}

function isFile(value: OptionValue): value is FileInput {
  return typeof value === 'object' && 'bytes' in value;
}
