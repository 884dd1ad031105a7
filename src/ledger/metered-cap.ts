import { type MeterKey, type MeterPlace, putMeter } from '../../db/queries/meters.ts';
import { type SpendingTotals, sumSpending } from '../../db/queries/spending.ts';
import type { Queryable, Trx } from '../../db/schema.ts';
import type { MeterRow } from '../../db/schema/spending.ts';
import { type MicroUsd, ZERO, addMicros, maxMicros, subtractMicros } from '../base/money.ts';
import type { GuildCaps } from './applying-caps.ts';
import type { Cap, CapView } from './cap.ts';
import type { Window } from './period.ts';
import type { Windows } from './windows.ts';

/** A cap in one of its windows, with what was used there. */
export interface MeteredCap {
  readonly cap: Cap;
  readonly key: MeterKey;
  readonly totals: SpendingTotals;
}

/** What is used of a cap: posted and pending. */
export function usedOf({ totals }: MeteredCap): MicroUsd {
  return addMicros(totals.posted, totals.pending);
}

export function viewOf(metered: MeteredCap): CapView {
  const { cap, key, totals } = metered;
  return {
    ...cap,
    posted: totals.posted,
    pending: totals.pending,
    left: maxMicros(ZERO, subtractMicros(cap.limit, usedOf(metered))),
    startsAtMs: key.startsAtMs,
    resetsAtMs: cap.period === 'total' ? null : key.endsAtMs,
  };
}

/** A place, and those of its meters that exist. */
export interface ReadMeters {
  readonly at: MeterPlace;
  readonly meters: readonly MeterRow[];
}

/** How a cap stands at a place. A sum that nobody kept is taken from `spending`. */
export async function meterCap(
  db: Queryable,
  { cap, timeZone }: { readonly cap: Cap; readonly timeZone: string },
  { at, meters }: ReadMeters,
  windows: Windows,
): Promise<MeteredCap> {
  const key = meterKeyOf(cap, at, windows.at(cap.period, timeZone, at.slotMs));
  return { cap, key, totals: totalsIn(meters, key) ?? (await sumSpending(db, key)) };
}

/** How several caps stand at a place. */
export async function meterCaps(
  db: Queryable,
  { caps, timeZone }: GuildCaps,
  read: ReadMeters,
  windows: Windows,
): Promise<MeteredCap[]> {
  const metered: MeteredCap[] = [];
  for (const cap of caps) metered.push(await meterCap(db, { cap, timeZone }, read, windows));
  return metered;
}

/** From now on keeps the sums that these caps need and nobody kept yet. */
export async function keepMeters(
  trx: Trx,
  metered: readonly MeteredCap[],
  meters: readonly MeterRow[],
): Promise<void> {
  for (const { key, totals } of metered) {
    if (!totalsIn(meters, key)) await putMeter(trx, key, totals);
  }
}

/** The sum that a cap reads: of a role or member that member's, otherwise the guild's. */
function meterKeyOf(cap: Cap, at: MeterPlace, window: Window): MeterKey {
  const isOfMember = cap.target.kind === 'role' || cap.target.kind === 'member';
  return {
    guildId: at.guildId,
    userId: isOfMember ? at.userId : '',
    capability: cap.capability ?? '',
    period: cap.period,
    ...window,
  };
}

function totalsIn(meters: readonly MeterRow[], key: MeterKey): SpendingTotals | undefined {
  const meter = meters.find(
    (row) =>
      row.user_id === key.userId &&
      row.capability === key.capability &&
      row.period === key.period &&
      row.starts_at_ms === key.startsAtMs &&
      row.ends_at_ms === key.endsAtMs,
  );
  if (!meter) return undefined;
  return { posted: meter.posted_micros, pending: meter.pending_micros, overrun: meter.overrun_micros };
}
