import {
  type APIApplicationCommandBasicOption,
  type APIApplicationCommandSubcommandOption,
  ApplicationCommandOptionType,
  ChannelType,
  PermissionFlagsBits,
} from 'discord.js';
import { type Command, IN_SERVERS_ONLY } from '../../src/bot/discord/command.ts';
import { GATED_NAMES } from '../../src/bot/discord/words/texts.ts';
import { ACCESS_SUBCOMMANDS } from './access-subcommands.ts';

const {
  Boolean: Flag,
  Channel,
  Integer,
  Role,
  String: Text,
  Subcommand,
  User,
} = ApplicationCommandOptionType;

const CAPABILITIES = Object.entries(GATED_NAMES).map(([value, name]) => ({ name, value }));

/** The options for a rule's targets. At least one must be given. */
const TARGETS: APIApplicationCommandBasicOption[] = [
  { type: Role, name: 'role', description: 'A role' },
  { type: Channel, name: 'channel', description: 'A channel, or a category for all channels in it' },
  { type: Text, name: 'capability', description: 'A command', choices: CAPABILITIES },
];

function sub(
  name: string,
  description: string,
  options: APIApplicationCommandBasicOption[] = [],
): APIApplicationCommandSubcommandOption {
  return { type: Subcommand, name, description, options };
}

const MEMBER: APIApplicationCommandBasicOption = {
  type: User,
  name: 'member',
  description: 'The member',
  required: true,
};

/** `/access` sets which roles, channels and capabilities are allowed in a server, and how much each member may do. */
export const access: Command = {
  data: {
    name: 'access',
    description: 'Choose who may use this bot here, where, and for what',
    ...IN_SERVERS_ONLY,
    default_member_permissions: String(PermissionFlagsBits.ManageGuild),
    options: [
      sub('show', 'See the rules of this server'),
      sub('allow', 'Allow a role, channel or command; others of its kind are then shut out', TARGETS),
      sub('deny', 'Shut out a role, channel or command', TARGETS),
      sub('clear', 'Take back what was said about a role, channel or command', TARGETS),
      sub('limits', 'Limit how much each member may do', [
        {
          type: Integer,
          name: 'cooldown',
          description: 'Seconds between two commands of a member; 0 for none',
          min_value: 0,
          max_value: 86_400,
        },
        {
          type: Integer,
          name: 'at-once',
          description: 'How many commands of a member may run at once; 0 for the usual',
          min_value: 0,
          max_value: 50,
        },
        {
          type: Flag,
          name: 'age-restricted',
          description: 'True: only in channels that are marked as age-restricted',
        },
      ]),
      sub('block', 'Keep a member from using this bot here', [MEMBER]),
      sub('unblock', 'Let a blocked member use this bot again', [MEMBER]),
      sub('reports', 'Choose the channel where reports of results go', [
        {
          type: Channel,
          name: 'channel',
          description: 'The channel; leave it out for none',
          channel_types: [ChannelType.GuildText],
        },
      ]),
    ],
  },
  answer: 'private',

  execute(call, services) {
    const run = ACCESS_SUBCOMMANDS[call.subcommand ?? ''];
    if (!run) throw new TypeError(`Cannot run /access ${call.subcommand}`);
    return run(call, services);
  },
};
