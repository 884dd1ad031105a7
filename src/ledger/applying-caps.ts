import { findTimeZone, listApplyingCaps, listCapsOfMember } from '../../db/queries/applying-caps.ts';
import type { CapRow, Queryable } from '../../db/schema.ts';
import type { Budget } from './budget.ts';
import type { Cap, CapTarget } from './cap.ts';

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
export async function capsFor(db: Queryable, spender: Spender, usual: Budget): Promise<GuildCaps> {
  const rows = await listApplyingCaps(db, spender);
  return guildCaps(db, spender.guildId, withUsual(ofRoles(rows, spender.roleIds), usual), usual);
}

/** The caps of a guild that count for a member, of all capabilities. */
export async function capsOfMember(
  db: Queryable,
  member: Omit<Spender, 'capability'>,
  usual: Budget,
): Promise<GuildCaps> {
  const rows = await listCapsOfMember(db, member.guildId, member.userId);
  return guildCaps(db, member.guildId, withUsual(ofRoles(rows, member.roleIds), usual), usual);
}

/** With the time zone of the guild, or else the operator's. */
export async function guildCaps(
  db: Queryable,
  guildId: string,
  caps: readonly Cap[],
  usual: Budget,
): Promise<GuildCaps> {
  return { caps, timeZone: (await findTimeZone(db, guildId)) ?? usual.timeZone };
}

/** What is stored, and the operator's default where the guild has no cap of its own on everything. */
export function withUsual(rows: readonly CapRow[], usual: Budget): readonly Cap[] {
  const caps = rows.map(capOf);
  const hasOwn = caps.some(({ target, capability }) => target.kind === 'guild' && capability === null);
  if (hasOwn) return caps;
  const { limit, period } = usual;
  return [...caps, { target: { kind: 'default' }, capability: null, period, limit }];
}

function ofRoles(rows: readonly CapRow[], roleIds: readonly string[]): readonly CapRow[] {
  return rows.filter((row) => row.target_kind !== 'role' || roleIds.includes(row.target_id));
}

function capOf(row: CapRow): Cap {
  return {
    target: targetOf(row),
    capability: row.capability === '' ? null : row.capability,
    period: row.period,
    limit: row.limit_micros,
  };
}

function targetOf({ target_kind: kind, target_id: id }: CapRow): CapTarget {
  if (kind === 'role') return { kind, roleId: id };
  return kind === 'member' ? { kind, userId: id } : { kind };
}
