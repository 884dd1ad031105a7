import { type APIApplicationCommandBasicOption, ApplicationCommandOptionType } from 'discord.js';
import type { CommandCall } from '../../src/bot/discord/command.ts';
import { GATED_NAMES } from '../../src/bot/discord/words/texts.ts';
import { readGone } from './suggest-gone.ts';
import type { AdminCapKey, AdminTarget } from '../../src/bot/money/budgets/admin-cap-key.ts';

const { Role, String: Text, User } = ApplicationCommandOptionType;

const PERIODS = { day: 'Day', week: 'Week', month: 'Month', total: 'Total, once and for all' } as const;

/** The option for the amount of a budget. It is a string, because Discord's numbers are inexact and can lose cents. */
export const AMOUNT: APIApplicationCommandBasicOption = {
  type: Text,
  name: 'amount',
  description: 'US dollars, such as 0.30 or 5; 0 for nothing at all',
  required: true,
  min_length: 1,
  max_length: 20,
};

/** The options that select a budget: its period, and the role, member or capability that it is for. */
export const CAP_OPTIONS: readonly APIApplicationCommandBasicOption[] = [
  {
    type: Text,
    name: 'period',
    description: 'How often it begins anew',
    required: true,
    choices: Object.entries(PERIODS).map(([value, name]) => ({ name, value })),
  },
  {
    type: Text,
    name: 'capability',
    description: 'Only for this command; leave it out for all together',
    choices: Object.entries(GATED_NAMES).map(([value, name]) => ({ name, value })),
  },
  { type: Role, name: 'role', description: 'For each member with this role, by themselves' },
  { type: User, name: 'member', description: 'For this member' },
];

/** Returns the budget that a call selects. Returns null if the call names no target or more than one. */
export function capKeyOf({ texts }: Pick<CommandCall, 'texts'>): AdminCapKey | null {
  const [target, ...more] = targetsOf(texts);
  if (!target || more.length > 0) return null;
  return { target, capability: texts.get('capability') ?? null, period: periodOf(texts.get('period')) };
}

function targetsOf(texts: CommandCall['texts']): readonly (AdminTarget | undefined)[] {
  const [roleId, userId, gone] = ['role', 'member', 'gone'].map((name) => texts.get(name));
  if (roleId === undefined && userId === undefined && gone === undefined) return [{ kind: 'guild' }];
  return [
    ...(roleId === undefined ? [] : [{ kind: 'role', roleId } as const]),
    ...(userId === undefined ? [] : [{ kind: 'member', userId } as const]),
    ...(gone === undefined ? [] : [readGone(gone)]),
  ];
}

function periodOf(text: string | undefined): AdminCapKey['period'] {
  if (text === 'day' || text === 'week' || text === 'month' || text === 'total') return text;
  throw new TypeError(`Cannot read a period: Discord offers no "${text}"`);
}
