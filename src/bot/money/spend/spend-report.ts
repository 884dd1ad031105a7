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

/** One bucket of the period, and the spending in it by capability. */
interface SpendBucket extends Window {
  readonly spent: readonly CapabilitySum[];
}

/** The spending in a period and its limits, as plain data that can be sent to the process that draws charts. */
export interface SpendReport extends SpendSubject, Window, Pick<SpendBuckets, 'step' | 'isFirstLonger'> {
  readonly timeZone: string;
  readonly nowMs: number;
  readonly buckets: readonly SpendBucket[];
  /** The spending in the whole period by capability, largest first. */
  readonly capabilities: readonly CapabilitySum[];
  readonly total: SpendSum;
  /** The members who spent the most, in descending order; empty if the report is about one member. */
  readonly topMembers: readonly MemberSum[];
  /** The caps that limit what the report covers, with their current amounts. */
  readonly caps: readonly CapView[];
  /** Whether amounts spent before the member's data was removed count against these caps. */
  readonly countsFromBefore: boolean;
  /** The estimated total charges at the end of the period; null if they cannot be estimated. */
  readonly forecast: MicroUsd | null;
  /**
   * The time at which the period's tightest cap will be used up at this pace; null if it will last until the end, or
   * the time cannot be estimated.
   */
  readonly usedUpAtMs: number | null;
  /** Whether nothing has ever been spent. */
  readonly isNew: boolean;
}

interface SpendFacts {
  readonly subject: SpendSubject;
  readonly parts: SpendBuckets;
  /** One list for each bucket. A capability may occur several times in a list. */
  readonly spent: readonly (readonly CapabilitySum[])[];
  readonly topMembers: readonly MemberSum[];
  readonly caps: readonly CapView[];
  readonly countsFromBefore: boolean;
  readonly timeZone: string;
  readonly nowMs: number;
  readonly isNew: boolean;
}

/**
 * Returns the sum of the amounts charged and set aside, both of which count against budgets. Replies show them
 * separately.
 */
export function usedOf({ posted, pending }: Pick<SpendSum, 'posted' | 'pending'>): MicroUsd {
  return addMicros(posted, pending);
}

/** Composes a report from the data that was read from the database. */
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

/** Returns the pace at which a cap is used up in its own window, which may differ from the report's period. */
function paceOf(cap: CapView, nowMs: number): Pace {
  const { startsAtMs, resetsAtMs } = cap;
  return { startsAtMs, endsAtMs: resetsAtMs ?? nowMs, nowMs, charged: cap.posted };
}

/** Returns the tightest cap for `period` that covers exactly what the report covers; `undefined` if there is none. */
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

/** Returns the cap period that is as long as the period of the report. */
export function capPeriodOf(period: SpendPeriod): CapView['period'] {
  return period === 'total' ? 'total' : (period.replace('last_', '') as Exclude<CapView['period'], 'total'>);
}

/**
 * Whether a cap limits the subject of a report. A guild's caps limit all members together; role and member caps limit
 * one member.
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
