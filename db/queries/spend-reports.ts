import type { MicroUsd } from '../../src/base/money.ts';
import { type ExpressionBuilder, type Expression, type SqlBool, sql } from 'kysely';
import type { Queryable, Schema } from '../schema.ts';
import type { HoldRow } from '../schema/ledger.ts';

/** Selects spending by member and capability, in quarters of an hour that start in [`fromMs`, `toMs`). */
export interface SpendScope {
  readonly guildId: string;
  /** Null for all members. */
  readonly userId: string | null;
  /** Null for all capabilities. */
  readonly capability: string | null;
  readonly fromMs: number;
  readonly toMs: number;
}

export interface SpendSum {
  readonly posted: MicroUsd;
  readonly pending: MicroUsd;
  readonly overrun: MicroUsd;
}

export interface CapabilitySum extends SpendSum {
  readonly capability: string;
}

export interface MemberSum extends SpendSum {
  readonly userId: string;
}

/** Returns the spending on each capability. */
export async function sumByCapability(db: Queryable, scope: SpendScope): Promise<CapabilitySum[]> {
  return db
    .selectFrom('spending')
    .select(['capability', ...SUMS])
    .where(within(scope))
    .groupBy('capability')
    .orderBy('capability')
    .execute();
}

/** Returns the spending of each member, largest first, at most `limit`. */
export async function sumByMember(db: Queryable, scope: SpendScope, limit: number): Promise<MemberSum[]> {
  return db
    .selectFrom('spending')
    .select(['user_id as userId', ...SUMS])
    .where(within(scope))
    .groupBy('user_id')
    .orderBy(sql`sum(posted_micros + pending_micros)`, 'desc')
    .orderBy('user_id')
    .limit(limit)
    .execute();
}

/** Returns the start of the first quarter of an hour with spending in a guild, or `undefined` if there is none. */
export async function firstSpendingMs(
  db: Queryable,
  { guildId, userId }: Pick<SpendScope, 'guildId' | 'userId'>,
): Promise<number | undefined> {
  const first = await db
    .selectFrom('spending')
    .select('slot_ms')
    .where('guild_id', '=', guildId)
    .$if(userId !== null, (query) => query.where('user_id', '=', userId))
    .orderBy('slot_ms')
    .limit(1)
    .executeTakeFirst();
  return first?.slot_ms;
}

/** The sums are cast, because PostgreSQL returns the sum of big integers as `numeric`. */
const SUMS = [
  sql<MicroUsd>`cast(sum(posted_micros) as bigint)`.as('posted'),
  sql<MicroUsd>`cast(sum(pending_micros) as bigint)`.as('pending'),
  sql<MicroUsd>`cast(sum(overrun_micros) as bigint)`.as('overrun'),
] as const;

function within(scope: SpendScope): (eb: ExpressionBuilder<Schema, 'spending'>) => Expression<SqlBool> {
  return (eb) =>
    eb.and([
      eb('guild_id', '=', scope.guildId),
      eb('slot_ms', '>=', scope.fromMs),
      eb('slot_ms', '<', scope.toMs),
      ...(scope.userId === null ? [] : [eb('user_id', '=', scope.userId)]),
      ...(scope.capability === null ? [] : [eb('capability', '=', scope.capability)]),
    ]);
}

/** The position in the list of holds after which a page starts. */
export type HoldPlace = Pick<HoldRow, 'slot_ms' | 'created_at_ms' | 'subject'>;

/** Returns the holds in a scope, in any state, oldest first, at most `limit` after `after`. */
export async function listHoldsWithin(
  db: Queryable,
  scope: SpendScope,
  { after, limit }: { readonly after: HoldPlace | undefined; readonly limit: number },
): Promise<HoldRow[]> {
  return db
    .selectFrom('holds')
    .selectAll()
    .where('guild_id', '=', scope.guildId)
    .where('slot_ms', '>=', after?.slot_ms ?? scope.fromMs)
    .where('slot_ms', '<', scope.toMs)
    .$if(after !== undefined, (query) =>
      query.where((eb) =>
        eb(
          eb.refTuple('slot_ms', 'created_at_ms', 'subject'),
          '>',
          eb.tuple(after?.slot_ms ?? 0, after?.created_at_ms ?? 0, after?.subject ?? ''),
        ),
      ),
    )
    .$if(scope.userId !== null, (query) => query.where('user_id', '=', scope.userId ?? ''))
    .$if(scope.capability !== null, (query) => query.where('capability', '=', scope.capability ?? ''))
    .orderBy('slot_ms')
    .orderBy('created_at_ms')
    .orderBy('subject')
    .limit(limit)
    .execute();
}
