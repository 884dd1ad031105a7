import type { CapabilitySum, MemberSum, SpendSum } from '../../../../db/queries/spend-reports.ts';
import { type MicroUsd, ZERO, addMicros, subtractMicros } from '../../../base/money.ts';
import type { CapView } from '../caps/cap.ts';
import type { Window } from '../caps/window.ts';
import { type SpendBuckets, type SpendPeriod, isOpen } from './spend-buckets.ts';
import { type Pace, forecastOf, usedUpAtMs } from './forecast-of.ts';

/** The scope of a report. */
export interface SpendSubject {
  readonly period: SpendPeriod;
  /** Null for all members of the guild. */
  readonly userId: string | null;
  /** Null for all capabilities. */
  readonly capability: string | null;
}

/** One part of the period, and the spending in it by capability. */
interface SpendBucket extends Window {
  readonly spent: readonly CapabilitySum[];
}

/** The spending of a period and its limits, as plain data that another process can draw. */
export interface SpendReport extends SpendSubject, Window, Pick<SpendBuckets, 'step' | 'isFirstLonger'> {
  readonly timeZone: string;
  readonly nowMs: number;
  readonly buckets: readonly SpendBucket[];
  /** The spending of the whole period, largest first. */
  readonly capabilities: readonly CapabilitySum[];
  readonly total: SpendSum;
  /** The members who spent most, in descending order; empty if the report is about one member. */
  readonly topMembers: readonly MemberSum[];
  /** The caps on the scope of the report, with their current amounts. */
  readonly caps: readonly CapView[];
  /** Whether spending from before the removal of the member's data counts against these caps. */
  readonly countsFromBefore: boolean;
  /** The estimated total of charges at the end of the period; null if it cannot be estimated. */
  readonly forecast: MicroUsd | null;
  /**
   * The time at which the tightest cap of the period is used up at this pace; null if it lasts until the end, or cannot
   * be estimated.
   */
  readonly usedUpAtMs: number | null;
  /** Whether nothing was ever spent. */
  readonly isNew: boolean;
}

interface SpendFacts {
  readonly subject: SpendSubject;
  readonly parts: SpendBuckets;
  /** One list for each part. A capability may occur several times in it. */
  readonly spent: readonly (readonly CapabilitySum[])[];
  readonly topMembers: readonly MemberSum[];
  readonly caps: readonly CapView[];
  readonly countsFromBefore: boolean;
  readonly timeZone: string;
  readonly nowMs: number;
  readonly isNew: boolean;
}

/** Returns the amounts charged and set aside together, which count against budgets. Replies show the two separately. */
export function usedOf({ posted, pending }: Pick<SpendSum, 'posted' | 'pending'>): MicroUsd {
  return addMicros(posted, pending);
}

/** Composes a report from the data that was read. */
export function makeReport(facts: SpendFacts): SpendReport {
  const { subject, parts, spent, topMembers, caps, countsFromBefore, timeZone, nowMs, isNew } = facts;
  const buckets = parts.buckets.map((window, index) => ({ ...window, spent: sumOver(spent[index] ?? []) }));
  const startsAtMs = buckets[0]?.startsAtMs ?? nowMs;
  const endsAtMs = buckets.at(-1)?.endsAtMs ?? nowMs;
  const capabilities = sumOver(spent.flat());
  const total = totalOf(capabilities);
  const pace = { startsAtMs, endsAtMs, nowMs, charged: total.posted };
  const about = caps.filter((cap) => isAbout(cap, subject));
  const cap = tightestCap({ caps: about, capability: subject.capability }, capPeriodOf(subject.period));
  return {
    ...subject,
    startsAtMs,
    endsAtMs,
    step: parts.step,
    isFirstLonger: parts.isFirstLonger,
    timeZone,
    nowMs,
    buckets,
    capabilities,
    total,
    topMembers,
    caps: about,
    countsFromBefore,
    forecast: isOpen(subject.period) ? forecastOf(pace) : null,
    // Amounts set aside reduce what is left of the cap for further charges.
    usedUpAtMs:
      isOpen(subject.period) && cap
        ? usedUpAtMs(paceOf(cap, nowMs), subtractMicros(cap.limit, cap.pending))
        : null,
    isNew,
  };
}

/** Returns the pace at which a cap is used up in its own window, which may differ from the window of the report. */
function paceOf(cap: CapView, nowMs: number): Pace {
  const { startsAtMs, resetsAtMs } = cap;
  return { startsAtMs, endsAtMs: resetsAtMs ?? nowMs, nowMs, charged: cap.posted };
}

/** Returns the tightest cap for `period` on exactly the scope of the report; `undefined` if there is none. */
export function tightestCap(
  { caps, capability }: Pick<SpendReport, 'caps' | 'capability'>,
  period: CapView['period'],
): CapView | undefined {
  return caps
    .filter((cap) => cap.period === period && cap.capability === capability)
    .reduce<CapView | undefined>(
      (least, cap) => (least && least.limit <= cap.limit ? least : cap),
      undefined,
    );
}

/** Returns the period of caps that is as long as the period of the report. */
export function capPeriodOf(period: SpendPeriod): CapView['period'] {
  return period === 'total' ? 'total' : (period.replace('last_', '') as Exclude<CapView['period'], 'total'>);
}

/**
 * Whether a cap limits the subject of a report. Caps of a guild limit all members together, and caps of roles and
 * members limit one member.
 */
function isAbout({ target, capability }: CapView, subject: SpendSubject): boolean {
  const isOfOne = target.kind === 'role' || target.kind === 'member';
  if (isOfOne !== (subject.userId !== null)) return false;
  return subject.capability === null || capability === null || capability === subject.capability;
}

function sumOver(sums: readonly CapabilitySum[]): readonly CapabilitySum[] {
  const byName = new Map<string, CapabilitySum>();
  for (const sum of sums) {
    const so = byName.get(sum.capability);
    byName.set(sum.capability, { capability: sum.capability, ...totalOf(so ? [so, sum] : [sum]) });
  }
  return [...byName.values()].sort((a, b) => usedOf(b) - usedOf(a) || (a.capability < b.capability ? -1 : 1));
}

function totalOf(sums: readonly SpendSum[]): SpendSum {
  return {
    posted: addMicros(ZERO, ...sums.map(({ posted }) => posted)),
    pending: addMicros(ZERO, ...sums.map(({ pending }) => pending)),
    overrun: addMicros(ZERO, ...sums.map(({ overrun }) => overrun)),
  };
}
