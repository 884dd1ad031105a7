import { type MeterKey, type MeterPlace, putMeter } from '../../../../db/queries/meters.ts';
import { type SpendingTotals, sumSpending } from '../../../../db/queries/spending.ts';
import type { Queryable, Trx } from '../../../../db/schema.ts';
import type { MeterRow } from '../../../../db/schema/spending.ts';
import { type MicroUsd, ZERO, addMicros, maxMicros, subtractMicros } from '../../../base/money.ts';
import type { GuildCaps } from './caps-for.ts';
import type { Cap, CapView } from './cap.ts';
import { type CapCalendar, type CapWindow, capWindowAt } from './cap-calendar.ts';
import type { Windows } from './windows.ts';

/** A sum of `spending` rows that a cap is compared with. `isKept` is true if a meter stores the sum. */
interface ReadSum {
  readonly key: MeterKey;
  readonly totals: SpendingTotals;
  readonly isKept: boolean;
}

/** A cap in one of its windows, with the amounts used in that window. */
export interface MeteredCap {
  readonly cap: Cap;
  readonly guildId: string;
  /** The member, for caps that limit what one member spends; otherwise empty. */
  readonly userId: string;
  readonly window: CapWindow;
  /**
   * Usually one sum. If the member returned after their data was deleted, a second sum is stored under their pseudonym.
   */
  readonly sums: readonly ReadSum[];
  /** The total of all sums. */
  readonly totals: SpendingTotals;
}

/** Returns how much of a cap is used: posted and pending together. */
export function usedOf({ totals }: MeteredCap): MicroUsd {
  return addMicros(totals.posted, totals.pending);
}

export function viewOf(metered: MeteredCap): CapView {
  const { cap, window, totals } = metered;
  return {
    ...cap,
    posted: totals.posted,
    pending: totals.pending,
    left: maxMicros(ZERO, subtractMicros(cap.limit, usedOf(metered))),
    startsAtMs: window.startsAtMs,
    resetsAtMs: cap.period === 'total' ? null : window.endsAtMs,
  };
}

/**
 * A `MeterPlace`, its existing meters, and the pseudonym under which its member's earlier spending is stored (empty if
 * there is none).
 */
export interface ReadMeters {
  readonly at: MeterPlace;
  readonly pseudonym: string;
  readonly meters: readonly MeterRow[];
}

/** Reads a cap's sums at the given `MeterPlace`. A sum without a meter is computed from `spending`. */
export async function meterCap(
  db: Queryable,
  { cap, calendar }: { readonly cap: Cap; readonly calendar: CapCalendar },
  { at, pseudonym, meters }: ReadMeters,
  windows: Windows,
): Promise<MeteredCap> {
  const { guildId } = at;
  const window = capWindowAt(cap, calendar, at.slotMs, windows);
  const userId = isOfMember(cap) ? at.userId : '';
  const sums: ReadSum[] = [];
  for (const name of userId === '' || pseudonym === '' ? [userId] : [userId, pseudonym]) {
    const { period, capability } = cap;
    const { startsAtMs, endsAtMs } = window;
    const key = { guildId, userId: name, capability: capability ?? '', period, startsAtMs, endsAtMs };
    const kept = totalsIn(meters, key);
    sums.push({ key, totals: kept ?? (await sumSpending(db, key)), isKept: kept !== undefined });
  }
  return { cap, guildId, userId, window, sums, totals: totalOf(sums) };
}

/** Reads the sums of several caps at the given `MeterPlace`. */
export async function meterCaps(
  db: Queryable,
  { caps, calendar }: GuildCaps,
  read: ReadMeters,
  windows: Windows,
): Promise<MeteredCap[]> {
  const metered: MeteredCap[] = [];
  for (const cap of caps) metered.push(await meterCap(db, { cap, calendar }, read, windows));
  return metered;
}

/** Creates the missing meters for these caps' sums. */
export async function keepMeters(trx: Trx, metered: readonly MeteredCap[]): Promise<void> {
  for (const { key, totals, isKept } of metered.flatMap(({ sums }) => sums)) {
    if (!isKept) await putMeter(trx, key, totals);
  }
}

/** Whether a cap limits one member's spending rather than the whole guild's. */
export function isOfMember({ target }: Pick<Cap, 'target'>): boolean {
  return target.kind === 'role' || target.kind === 'member';
}

function totalOf(sums: readonly ReadSum[]): SpendingTotals {
  const [first] = sums;
  if (first && sums.length === 1) return first.totals;
  return {
    posted: addMicros(ZERO, ...sums.map(({ totals }) => totals.posted)),
    pending: addMicros(ZERO, ...sums.map(({ totals }) => totals.pending)),
    overrun: addMicros(ZERO, ...sums.map(({ totals }) => totals.overrun)),
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
