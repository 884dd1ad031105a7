import { findTimeZone, listApplyingCaps, listCapsOfMember } from '../../db/queries/applying-caps.ts';
import type { Queryable } from '../../db/schema.ts';
import type { CapRow } from '../../db/schema/caps.ts';
import type { Cap } from './cap.ts';
import { capOf } from './cap-rows.ts';
import type { UsualCaps } from './usual-caps.ts';

/** Who wants to use money, and for what. */
export interface Spender {
  readonly guildId: string;
  readonly userId: string;
  readonly roleIds: readonly string[];
  readonly capability: string;
}

/** Caps of a guild, and the time zone that their periods go by. */
export interface GuildCaps {
  readonly caps: readonly Cap[];
  readonly timeZone: string;
}

/** All caps that a use of money must keep to. There is always one on everything that the guild spends. */
export async function capsFor(db: Queryable, spender: Spender, usual: UsualCaps): Promise<GuildCaps> {
  const rows = await listApplyingCaps(db, spender);
  return guildCaps(db, spender.guildId, withUsual(ofRoles(rows, spender.roleIds), usual), usual);
}

/** The caps of a guild that count for a member, of all capabilities. */
export async function capsOfMember(
  db: Queryable,
  member: Omit<Spender, 'capability'>,
  usual: UsualCaps,
): Promise<GuildCaps> {
  const rows = await listCapsOfMember(db, member.guildId, member.userId);
  return guildCaps(db, member.guildId, withUsual(ofRoles(rows, member.roleIds), usual), usual);
}

/** With the time zone of the guild, or else the operator's. */
export async function guildCaps(
  db: Queryable,
  guildId: string,
  caps: readonly Cap[],
  usual: UsualCaps,
): Promise<GuildCaps> {
  return { caps, timeZone: (await findTimeZone(db, guildId)) ?? usual.timeZone };
}

/** What is stored, and what the operator decided for guilds of which nothing else is said. */
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

function ofRoles(rows: readonly CapRow[], roleIds: readonly string[]): readonly CapRow[] {
  return rows.filter((row) => row.target_kind !== 'role' || roleIds.includes(row.target_id));
}
