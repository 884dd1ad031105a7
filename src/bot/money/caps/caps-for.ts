import { listApplyingCaps, listCapsOfMember } from '../../../../db/queries/applying-caps.ts';
import type { PseudonymOf } from '../../../../db/pseudonyms.ts';
import type { Queryable } from '../../../../db/schema.ts';
import type { CapRow } from '../../../../db/schema/caps.ts';
import type { Cap } from './cap.ts';
import { type CapCalendar, calendarOf } from './cap-calendar.ts';
import { capOf } from './cap-of.ts';
import type { UsualCaps } from './usual-caps.ts';

/** The member who wants to spend money, and the capability that they want to spend it on. */
export interface Spender {
  readonly guildId: string;
  readonly userId: string;
  readonly roleIds: readonly string[];
  readonly capability: string;
}

/** A guild's caps, and the calendar that their windows follow. */
export interface GuildCaps {
  readonly caps: readonly Cap[];
  readonly calendar: CapCalendar;
}

/** Settings that are not in the database. */
interface CapRules {
  readonly usual: UsualCaps;
  readonly pseudonymOf: PseudonymOf;
}

/** Returns all caps that apply to a spender. At least one of them limits all of the guild's spending. */
export async function capsFor(db: Queryable, spender: Spender, rules: CapRules): Promise<GuildCaps> {
  const pseudonym = rules.pseudonymOf(spender.userId);
  const rows = await listApplyingCaps(db, { ...keyOf(spender), pseudonym, capability: spender.capability });
  return guildCaps(db, spender.guildId, ofSpender(rows, spender, pseudonym), rules.usual);
}

/** Returns all of a guild's caps that apply to a member, whichever capability they limit. */
export async function capsOfMember(
  db: Queryable,
  member: Omit<Spender, 'capability'>,
  rules: CapRules,
): Promise<GuildCaps> {
  const pseudonym = rules.pseudonymOf(member.userId);
  const rows = await listCapsOfMember(db, { ...keyOf(member), pseudonym });
  return guildCaps(db, member.guildId, ofSpender(rows, member, pseudonym), rules.usual);
}

/**
 * Combines the given rows, the operator's defaults (where the guild has no caps of its own) and the guild's calendar.
 */
export async function guildCaps(
  db: Queryable,
  guildId: string,
  rows: readonly CapRow[],
  usual: UsualCaps,
): Promise<GuildCaps> {
  return { caps: withUsual(rows, usual), calendar: await calendarOf(db, guildId, usual.timeZone) };
}

/** Returns the stored caps, and the operator's defaults where the guild has no caps of its own. */
export function withUsual(rows: readonly CapRow[], usual: UsualCaps): readonly Cap[] {
  const { limit, period, allowance } = usual;
  const caps = rows.map(capOf);
  const isAllowed = allowance === null || caps.some(({ target }) => target.kind === 'operator');
  const hasOwn = caps.some(({ target, capability }) => target.kind === 'guild' && capability === null);
  return [
    ...(isAllowed ? [] : [{ target: { kind: 'operator' }, capability: null, ...allowance } as const]),
    ...caps,
    ...(hasOwn ? [] : [{ target: { kind: 'default' }, capability: null, period, limit } as const]),
  ];
}

function keyOf({ guildId, userId }: Omit<Spender, 'capability'>): Pick<Spender, 'guildId' | 'userId'> {
  return { guildId, userId };
}

/**
 * Leaves out caps on roles that the member does not have. A cap that a deletion moved to the member's pseudonym is
 * returned under the member's id.
 */
function ofSpender(
  rows: readonly CapRow[],
  { userId, roleIds }: Pick<Spender, 'userId' | 'roleIds'>,
  pseudonym: string,
): readonly CapRow[] {
  return rows
    .filter((row) => row.target_kind !== 'role' || roleIds.includes(row.target_id))
    .map((row) =>
      row.target_kind === 'member' && row.target_id === pseudonym ? { ...row, target_id: userId } : row,
    );
}
