import type { CommandOption } from '../chat/command-body.ts';
import { COMMAND_TYPES } from '../chat/command-types.ts';
import type { Channel } from '../chat/guild.ts';
import type { User } from '../chat/user.ts';
import type { World } from '../chat/world.ts';
import { visibleCommands } from '../script/command-data.ts';
import { mayRun } from '../script/may-run.ts';
import type { PageCommand, PageCommandOption } from './use-views.ts';
import { userView } from './people.ts';

const KINDS = Object.keys(COMMAND_TYPES) as (keyof typeof COMMAND_TYPES)[];

/**
 * Returns all commands that `viewer` may use in a channel: none in direct messages or in a guild of which `viewer` is
 * not a member.
 */
export function commandsFor(world: World, channel: Channel, viewer: User): readonly PageCommand[] {
  const guild = world.guildOf(channel);
  const member = guild?.members.get(viewer.id);
  if (!guild || !member) return [];
  return KINDS.flatMap((kind) =>
    visibleCommands(world, guild.id, COMMAND_TYPES[kind])
      .filter(({ command }) => mayRun(guild, member, command, channel))
      .map(({ application, command: { id, definition } }) => ({
        id,
        application: userView(world, application.bot),
        kind,
        name: definition.name,
        description: definition.description ?? '',
        options: (definition.options ?? []).map(optionView),
      })),
  );
}

function optionView(option: CommandOption): PageCommandOption {
  return {
    type: option.type,
    name: option.name,
    description: option.description,
    required: option.required ?? false,
    autocomplete: option.autocomplete ?? false,
    choices: (option.choices ?? []).map(({ name, value }) => ({ name, value })),
    min_value: option.min_value ?? null,
    max_value: option.max_value ?? null,
    min_length: option.min_length ?? null,
    max_length: option.max_length ?? null,
    channel_types: option.channel_types ?? [],
    file_types: option.file_types ?? [],
    options: (option.options ?? []).map(optionView),
  };
}
