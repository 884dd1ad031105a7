import {
  type APIApplicationCommandBasicOption,
  type APIApplicationCommandSubcommandOption,
  ApplicationCommandOptionType,
  ChannelType,
} from 'discord.js';
import { type Command, type Component, IN_SERVERS_ONLY } from '../../src/bot/discord/command.ts';
import { BUDGET_PAGE_ACTION, budgetsReply } from '../../src/bot/discord/words/replies/budgets-reply.ts';
import { capHistoryReply } from '../../src/bot/discord/words/replies/cap-history-reply.ts';
import { clearBudget, setBudget } from './set-budget.ts';
import { GONE, suggestGone } from './suggest-gone.ts';
import { AMOUNT, CAP_OPTIONS } from './cap-options.ts';
import { RESETS, changeManagers, changeSettings, suggestTimeZones } from './change-settings.ts';

const {
  Boolean: Flag,
  Channel,
  Role,
  String: Text,
  Subcommand,
  SubcommandGroup,
} = ApplicationCommandOptionType;

function sub(
  name: string,
  description: string,
  options: readonly APIApplicationCommandBasicOption[] = [],
): APIApplicationCommandSubcommandOption {
  return { type: Subcommand, name, description, options: [...options] };
}

const MANAGER: APIApplicationCommandBasicOption = {
  type: Role,
  name: 'role',
  description: 'The role',
  required: true,
};

const SETTINGS: readonly APIApplicationCommandBasicOption[] = [
  {
    type: Text,
    name: 'time_zone',
    description: 'Where days, weeks and months begin by the clock, such as Europe/Berlin',
    max_length: 64,
    autocomplete: true,
  },
  {
    type: Text,
    name: 'confirm_above',
    description: 'Ask members before jobs that cost more US dollars than this, such as 0.50; 0 for all',
    min_length: 1,
    max_length: 20,
  },
  {
    type: Channel,
    name: 'alerts',
    description: 'Where to tell that a budget is half, mostly or all used',
    channel_types: [ChannelType.GuildText, ChannelType.GuildAnnouncement],
  },
  {
    type: Flag,
    name: 'voice_renewal',
    description: 'True: voice sessions go on when their time is up, while somebody speaks',
  },
  {
    type: Text,
    name: 'reset',
    description: 'Which of these goes back to what it is by itself',
    choices: Object.entries(RESETS).map(([value, name]) => ({ name, value })),
  },
];

const RUNS: Readonly<Record<string, Command['execute']>> = {
  show: async ({ origin }, { budgets }) => ({
    kind: 'reply',
    reply: budgetsReply(await budgets.show(origin), 0, origin.receivedAtMs),
  }),
  set: setBudget,
  clear: clearBudget,
  history: async ({ origin }, { budgets }) => ({
    kind: 'reply',
    reply: capHistoryReply(await budgets.history(origin, 0)),
  }),
  settings: changeSettings,
  'managers add': changeManagers,
  'managers remove': changeManagers,
};

/** `/budget` shows the budgets of a server to everyone, and lets budget managers set them. */
export const budget: Command = {
  data: {
    name: 'budget',
    description: 'See what may be spent here; for those who manage it, set it',
    ...IN_SERVERS_ONLY,
    options: [
      sub('show', 'See what may be spent, what is left of it, and when it resets'),
      sub('set', 'Set a budget; of all that count for a job, each must have enough left', [
        AMOUNT,
        ...CAP_OPTIONS,
      ]),
      sub('clear', 'Take a budget back', [...CAP_OPTIONS, GONE]),
      sub('history', 'See who set which budget to what'),
      sub('settings', 'See or change the time zone, alerts, and when members are asked first', SETTINGS),
      {
        type: SubcommandGroup,
        name: 'managers',
        description: 'Choose which roles may manage budgets',
        options: [
          sub('add', 'Let a role manage budgets', [MANAGER]),
          sub('remove', 'Do not let a role manage budgets any more', [{ ...MANAGER, required: false }, GONE]),
        ],
      },
    ],
  },
  answer: 'private',

  execute(call, services) {
    const run = RUNS[call.subcommand ?? ''];
    if (!run) throw new TypeError(`Cannot run /budget ${call.subcommand}`);
    return run(call, services);
  },

  complete: async (call, services) =>
    call.option === 'gone' ? suggestGone(call, services) : suggestTimeZones(call),
};

/** The buttons that turn the pages of `/budget show` and `/budget history`. */
export const budgetPage: Component = {
  action: BUDGET_PAGE_ACTION,
  answer: 'update',
  async execute({ origin, args: [what, text] }, { budgets }) {
    const page = /^\d{1,4}$/.test(text ?? '') ? Number(text) : 0;
    const reply =
      what === 'history'
        ? capHistoryReply(await budgets.history(origin, page))
        : budgetsReply(await budgets.show(origin), page, origin.receivedAtMs);
    return { kind: 'reply', reply };
  },
};
