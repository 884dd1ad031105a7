import { sql } from 'kysely';
import { prepared } from '../prepared.ts';
import type { Queryable, Trx } from '../schema.ts';
import type { CapPeriod } from '../schema/caps.ts';
import type { MeterRow } from '../schema/spending.ts';
import type { SpendingTotals, TotalsChange } from './spending.ts';

/**
 * Identifies the meters that an expense changes: those whose windows include the expense's time, for the guild and for
 * the member, each for the capability and for all capabilities together.
 */
export interface MeterPlace {
  readonly guildId: string;
  readonly userId: string;
  readonly capability: string;
  readonly slotMs: number;
}

type PlaceParameters = Record<'guildId' | 'userId' | 'capability', string> & { slotMs: number };

const change = prepared((db, to: PlaceParameters & Record<keyof TotalsChange, number>) =>
  db
    .updateTable('meters')
    .set({
      posted_micros: sql`posted_micros + ${to.posted}`,
      pending_micros: sql`pending_micros + ${to.pending}`,
      overrun_micros: sql`overrun_micros + ${to.overrun}`,
    })
    .where('guild_id', '=', to.guildId)
    .where('user_id', 'in', ['', to.userId])
    .where('capability', 'in', ['', to.capability])
    .where('starts_at_ms', '<=', to.slotMs)
    .where('ends_at_ms', '>', to.slotMs),
);

/** Changes the totals of all existing meters that `place` identifies. Throws if a total would fall below zero. */
export async function changeMeters(trx: Trx, place: MeterPlace, by: TotalsChange): Promise<void> {
  await change(trx, { ...place, ...by });
}

const find = prepared((db, place: PlaceParameters & { readonly pseudonym: string }) =>
  db
    .selectFrom('meters')
    .selectAll()
    .where('guild_id', '=', place.guildId)
    .where('user_id', 'in', ['', place.userId, place.pseudonym])
    .where('capability', 'in', ['', place.capability])
    .where('starts_at_ms', '<=', place.slotMs)
    .where('ends_at_ms', '>', place.slotMs),
);

/**
 * Returns the existing meters that `place` identifies, and those under the member's `pseudonym` (empty if there is
 * none).
 */
export async function findMeters(
  db: Queryable,
  place: MeterPlace,
  pseudonym: string = '',
): Promise<MeterRow[]> {
  return find(db, { ...place, pseudonym });
}

/** Identifies the sum of `spending` that a meter stores. An empty member or capability means all of them. */
export interface MeterKey {
  readonly guildId: string;
  readonly userId: string;
  readonly capability: string;
  readonly period: CapPeriod;
  readonly startsAtMs: number;
  readonly endsAtMs: number;
}

/**
 * Creates a meter whose sum is currently `totals`. Deletes earlier meters for the same use whose windows have ended,
 * because they are rarely read again and can be recomputed.
 */
export async function putMeter(trx: Trx, key: MeterKey, totals: SpendingTotals): Promise<void> {
  const { posted, pending, overrun } = totals;
  const values = {
    posted_micros: posted,
    pending_micros: pending,
    overrun_micros: overrun,
  };
  await trx
    .deleteFrom('meters')
    .where('guild_id', '=', key.guildId)
    .where('user_id', '=', key.userId)
    .where('capability', '=', key.capability)
    .where('period', '=', key.period)
    .where('ends_at_ms', '<=', key.startsAtMs)
    .execute();
  await trx
    .insertInto('meters')
    .values({
      guild_id: key.guildId,
      user_id: key.userId,
      capability: key.capability,
      period: key.period,
      starts_at_ms: key.startsAtMs,
      ends_at_ms: key.endsAtMs,
      ...values,
    })
    .onConflict((conflict) =>
      conflict
        .columns(['guild_id', 'user_id', 'capability', 'period', 'starts_at_ms', 'ends_at_ms'])
        .doUpdateSet(values),
    )
    .execute();
}
