import {
  type APIApplicationCommandBasicOption,
  type APIApplicationCommandSubcommandOption,
  ApplicationCommandOptionType,
} from 'discord.js';
import {
  type Command,
  type CommandCall,
  type CommandResult,
  type CommandServices,
  IN_SERVERS_ONLY,
} from '../../src/bot/discord/command.ts';
import { exportReply, spendReply } from '../../src/bot/discord/words/replies/spend-replies.ts';
import { SPEND_PERIODS, SPENT_ON } from '../../src/bot/discord/words/replies/spend-words.ts';
import type { SpendPeriod } from '../../src/bot/money/spend/spend-buckets.ts';
import { GONE_MEMBER, overruns, suggestReleases } from './overruns.ts';
import type { SpendQuery } from '../../src/bot/money/spend/spend-query.ts';

const { Boolean: Flag, String: Text, Subcommand, User } = ApplicationCommandOptionType;

/** The maximum size of a reply with a file. `MESSAGE_BYTES` of it are reserved for everything except the file. */
const EXPORT_BYTES_MAX = 8_000_000;
const MESSAGE_BYTES = 20_000;

const CHOICES: APIApplicationCommandBasicOption[] = [
  {
    type: Text,
    name: 'period',
    description: 'Which time; this month if you leave it out',
    choices: Object.entries(SPEND_PERIODS).map(([value, { choice }]) => ({ name: choice, value })),
  },
  {
    type: User,
    name: 'member',
    description: 'One member; others than yourself only if you manage the budget',
  },
  {
    type: Text,
    name: 'capability',
    description: 'One command or kind of live session',
    choices: Object.entries(SPENT_ON).map(([value, name]) => ({ name, value })),
  },
];

/** `/spend show|overruns|export` reports spending. Because it has subcommands, Discord allows no plain `/spend`. */
export const spend: Command = {
  data: {
    name: 'spend',
    description: 'See what was spent here, on what, and what it will come to',
    ...IN_SERVERS_ONLY,
    options: [
      sub('show', 'See what was spent as a chart and a table', [
        ...CHOICES,
        { type: Flag, name: 'share', description: 'True: show it to everybody in this channel' },
      ]),
      sub('overruns', 'For budget managers: see charges above the amount set aside, and why', [
        {
          type: User,
          name: 'release',
          description: 'Let this member start jobs again after you reviewed the charge',
        },
        GONE_MEMBER,
      ]),
      sub('export', 'Get every job and what it cost as a file (CSV) for a spreadsheet', CHOICES),
    ],
  },

  answer: ({ subcommand, flags }) =>
    subcommand === 'show' && flags.get('share') === true ? 'public' : 'private',

  execute(call, services) {
    if (call.subcommand === 'overruns') return overruns(call, services);
    return call.subcommand === 'export' ? exportSpending(call, services) : show(call, services);
  },

  complete: suggestReleases,
};

function sub(
  name: string,
  description: string,
  options: APIApplicationCommandBasicOption[],
): APIApplicationCommandSubcommandOption {
  return { type: Subcommand, name, description, options };
}

async function show(call: CommandCall, { spending, charts }: CommandServices): Promise<CommandResult> {
  const report = await spending.report(call.origin, queryOf(call));
  const chart = await charts.draw({ report, names: SPENT_ON });
  // The spending of a member is visible only to that member and to budget managers.
  const withMembers = call.flags.get('share') !== true;
  return spendReply(report, chart, { viewerId: call.origin.userId, withMembers });
}

async function exportSpending(call: CommandCall, { spending }: CommandServices): Promise<CommandResult> {
  const bytesMax = Math.min(EXPORT_BYTES_MAX, call.origin.attachmentSizeLimitBytes - MESSAGE_BYTES);
  return exportReply(await spending.export(call.origin, queryOf(call), bytesMax));
}

function queryOf({ texts }: CommandCall): SpendQuery {
  return {
    period: periodOf(texts.get('period')),
    memberId: texts.get('member'),
    capability: texts.get('capability'),
  };
}

function periodOf(text: string | undefined): SpendPeriod {
  return text !== undefined && text in SPEND_PERIODS ? (text as SpendPeriod) : 'month';
}
