import {
  type APIApplicationCommandBasicOption,
  type APIApplicationCommandSubcommandOption,
  ApplicationCommandOptionType,
  PermissionFlagsBits,
} from 'discord.js';
import {
  type Choice,
  type Command,
  type CommandServices,
  type CompletionCall,
  IN_SERVERS_ONLY,
} from '../../src/bot/discord/command.ts';
import { guildLabel, holdLabel, recordLabel, watchedLabel } from './status-text.ts';
import { NOBODY, OPERATOR_SUBCOMMANDS } from './operator-subcommands.ts';

const { String: Text, Subcommand } = ApplicationCommandOptionType;

const PERIODS = [
  { name: 'A day', value: 'day' },
  { name: 'A week', value: 'week' },
  { name: 'A month', value: 'month' },
  { name: 'In all', value: 'total' },
];

function sub(
  name: string,
  description: string,
  options: APIApplicationCommandBasicOption[] = [],
): APIApplicationCommandSubcommandOption {
  return { type: Subcommand, name, description, options };
}

function guild(description: string, required: boolean): APIApplicationCommandBasicOption {
  return { type: Text, name: 'guild', description, required, autocomplete: true };
}

/**
 * `/operator` shows operators the spending of all servers. Discord offers the command only to admins. At each use, the
 * bot asks Discord who the operators are.
 */
export const operator: Command = {
  data: {
    name: 'operator',
    description: 'For whoever runs this bot: money, servers, holds, and pauses',
    ...IN_SERVERS_ONLY,
    default_member_permissions: String(PermissionFlagsBits.Administrator),
    options: [
      sub('status', "See the service's balance, what is charged and set aside, and what needs you"),
      sub('guilds', 'See what each server may spend and has spent'),
      sub('holds', 'See the amounts that are set aside, oldest first'),
      sub('overruns', 'See charges above the amount set aside, and members who wait because of one'),
      sub('release', 'Let a member start jobs again after you reviewed a charge far above its hold', [
        {
          type: Text,
          name: 'member',
          description: 'The member whose jobs wait',
          required: true,
          autocomplete: true,
        },
      ]),
      sub('resolve', 'End a hold whose charge was never learned', [
        { type: Text, name: 'hold', description: 'Which one', required: true, autocomplete: true },
        {
          type: Text,
          name: 'charged',
          description: 'What the service charged in dollars; 0 if it charged nothing',
          required: true,
          max_length: 30,
        },
      ]),
      sub('assign', 'Decide which call a record of the usage log belongs to', [
        { type: Text, name: 'record', description: 'Which record', required: true, autocomplete: true },
        {
          type: Text,
          name: 'owner',
          description: 'The hold that it belongs to, or other use of the account',
          required: true,
          autocomplete: true,
        },
      ]),
      sub('allowance', 'Set the most that a server may spend, whatever its admins say', [
        guild('Which server', true),
        {
          type: Text,
          name: 'amount',
          description: 'Dollars in each period; leave it out to go back to the usual',
          max_length: 30,
        },
        { type: Text, name: 'period', description: 'How often that much (usual: a month)', choices: PERIODS },
      ]),
      sub('pause', 'Take nothing new on; what is running goes on to its end', [
        guild('Only this server; leave it out for all', false),
      ]),
      sub('resume', 'Take on new work again', [
        guild('Only this server; leave it out to end the pause of all', false),
      ]),
    ],
  },
  answer: 'private',

  execute(call, services) {
    const run = OPERATOR_SUBCOMMANDS[call.subcommand ?? ''];
    if (!run) throw new TypeError(`Cannot run /operator ${call.subcommand}`);
    return run(call, services);
  },

  complete: suggest,
};

async function suggest(
  { origin, option, typed, texts }: CompletionCall,
  { operator: desk }: CommandServices,
): Promise<readonly Choice[]> {
  if (option === 'guild') {
    const guilds = await desk.suggestGuilds(origin, typed);
    return guilds.map((one) => ({ name: guildLabel(one), value: one.guildId }));
  }
  if (option === 'member') {
    const waiting = await desk.suggestReleases(origin);
    return waiting.map((one) => ({ name: watchedLabel(one), value: `${one.guildId}/${one.userId}` }));
  }
  if (option === 'record') {
    const records = await desk.suggestRecords(origin);
    return records.map((one) => ({ name: recordLabel(one, origin.receivedAtMs), value: one.id }));
  }
  if (option === 'owner') {
    const owners = await desk.suggestOwners(origin, texts.get('record') ?? '');
    const choices = owners.map((hold) => ({
      name: holdLabel(hold, origin.receivedAtMs),
      value: hold.subject,
    }));
    return [...choices, { name: 'No server: other use of the account', value: NOBODY }];
  }
  const holds = await desk.suggestReviews(origin);
  return holds.map((hold) => ({ name: holdLabel(hold, origin.receivedAtMs), value: hold.subject }));
}
