import { readDollars } from '../../src/base/read-dollars.ts';
import { ZERO, formatUsd } from '../../src/base/money.ts';
import type { CommandCall, CommandResult, CommandServices } from '../../src/bot/discord/command.ts';
import { doneReply, sentenceReply } from '../../src/bot/discord/words/replies/replies.ts';
import type { Amount } from '../../src/bot/money/caps/usual-caps.ts';
import { guildsPage, holdsPage, overrunsPage } from './operator-page.ts';
import { statusText } from './status-text.ts';

type Run = (call: CommandCall, services: CommandServices) => Promise<CommandResult>;

const PERIODS = { day: 'a day', week: 'a week', month: 'a month', total: 'in all' } as const;

const NOT_RESOLVED = {
  not_found: 'There is no such hold. Choose one from the suggestions.',
  not_in_review:
    'Only holds in review can be ended by hand. This one is under way or has ended: see `/operator holds`.',
} as const;

const NOT_ASSIGNED = {
  not_suggested:
    'Nothing was changed: that record does not match that owner. Choose both from the suggestions.',
  not_in_review: 'Nothing was changed: the charge of that hold is already known.',
  decided: 'Nothing was changed: that record is already booked for another owner.',
} as const;

const NO_PAUSE_OF_ALL =
  'There is no pause of everything. To end the pause of one server, name it with `/operator resume guild:`.';

/** The option value for a usage record that no server pays for. */
export const NOBODY = 'nobody';

/** The subcommands of `/operator`, by name. */
export const OPERATOR_SUBCOMMANDS: Readonly<Record<string, Run>> = {
  status: async ({ origin }, { operator }) =>
    doneReply('Masquerade, all servers', statusText(await operator.status(origin))),
  guilds: ({ origin }, services) => guildsPage(origin, 0, services),
  holds: ({ origin }, services) => holdsPage(origin, 0, services),
  overruns: ({ origin }, services) => overrunsPage(origin, 0, services),
  release,
  resolve,
  assign,
  allowance,
  pause: async ({ origin, texts }, { operator }) => {
    const guildId = texts.get('guild') ?? null;
    const isNew = await operator.pause(origin, guildId);
    return doneReply(
      isNew ? 'Paused' : 'Already paused',
      `No new work is taken on${guildId === null ? '' : ` from \`${guildId}\``}. What is under way goes on to its end; only live swaps are ended. \`/operator resume${guildId === null ? '' : ` guild:${guildId}`}\` ends the pause.`,
    );
  },
  resume: async ({ origin, texts }, { operator }) => {
    const guildId = texts.get('guild') ?? null;
    if (!(await operator.resume(origin, guildId))) {
      return sentence(guildId === null ? NO_PAUSE_OF_ALL : 'That server is not paused.');
    }
    return doneReply(
      'Resumed',
      guildId === null
        ? 'New work is taken on again. Servers that were paused by themselves stay so.'
        : `New work of \`${guildId}\` is taken on again.`,
    );
  },
};

async function release(
  { origin, texts }: CommandCall,
  { operator }: CommandServices,
): Promise<CommandResult> {
  const [guildId = '', userId = ''] = (texts.get('member') ?? '').split('/');
  const isReleased = await operator.release(origin, { guildId, userId });
  return isReleased
    ? doneReply('Released', 'New jobs of that member start again in that server.')
    : sentence('No jobs of that member wait for a review. Choose a member from the suggestions.');
}

async function resolve(
  { origin, texts }: CommandCall,
  { operator }: CommandServices,
): Promise<CommandResult> {
  const read = readDollars(texts.get('charged') ?? '');
  if ('problem' in read) return notAnAmount();
  const resolved = await operator.resolve(origin, texts.get('hold') ?? '', read.amount);
  if (resolved.outcome === 'refused') return sentence(NOT_RESOLVED[resolved.why]);
  return doneReply(
    'Hold ended',
    resolved.charged === ZERO
      ? 'Nothing was charged: all of it is free again.'
      : `**${formatUsd(resolved.charged)}** is booked as charged.`,
  );
}

async function assign({ origin, texts }: CommandCall, { operator }: CommandServices): Promise<CommandResult> {
  const owner = texts.get('owner') ?? '';
  const assigned = await operator.assign(origin, texts.get('record') ?? '', owner === NOBODY ? null : owner);
  if (assigned.outcome === 'refused') return sentence(NOT_ASSIGNED[assigned.why]);
  const amount = assigned.charged === null ? 'It' : `**${formatUsd(assigned.charged)}**`;
  return doneReply(
    'Record decided',
    assigned.subject === null
      ? `${amount} is booked as other use of the account. No server pays for it.`
      : `${amount} is booked as charged, in place of what was set aside.`,
  );
}

async function allowance(
  { origin, texts }: CommandCall,
  { operator }: CommandServices,
): Promise<CommandResult> {
  const guildId = texts.get('guild') ?? '';
  const text = texts.get('amount');
  const period = periodOf(texts.get('period'));
  const read = text === undefined ? null : readDollars(text);
  if (read !== null && 'problem' in read) return notAnAmount();
  const amount: Amount | null = read && { limit: read.amount, period };
  await operator.allow(origin, guildId, amount);
  return doneReply(
    amount === null ? 'Allowance taken away' : 'Allowance set',
    amount === null
      ? `What is usual counts for \`${guildId}\` again.`
      : `\`${guildId}\` may spend at most **${formatUsd(amount.limit)}** ${PERIODS[period]}, whatever its admins set.`,
  );
}

function periodOf(text: string | undefined): Amount['period'] {
  return text === 'day' || text === 'week' || text === 'total' ? text : 'month';
}

function notAnAmount(): CommandResult {
  return sentence('Nothing was changed: write the amount in dollars with a point, such as `12.50`.');
}

function sentence(text: string): CommandResult {
  return { kind: 'reply', reply: sentenceReply(text) };
}
