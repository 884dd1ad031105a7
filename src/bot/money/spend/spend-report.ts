import type { CapabilitySum, MemberSum, SpendSum } from '../../../../db/queries/spend-reports.ts';
import { type MicroUsd, ZERO, addMicros, subtractMicros } from '../../../base/money.ts';
import type { CapView } from '../caps/cap.ts';
import type { Window } from '../caps/window.ts';
import { type SpendBuckets, type SpendPeriod, isOpen } from './spend-buckets.ts';
import { type Pace, forecastOf, usedUpAtMs } from './forecast-of.ts';

/** What a report is about. */
export interface SpendSubject {
  readonly period: SpendPeriod;
  /** Null: everybody in the guild. */
  readonly userId: string | null;
  /** Null: everything. */
  readonly capability: string | null;
}

/** One part of the period: what was spent in it, by capability. */
interface SpendBucket extends Window {
  readonly spent: readonly CapabilitySum[];
}

/** What was spent in a period, and what limits it. Plain data: it is handed to another process to be drawn. */
export interface SpendReport extends SpendSubject, Window, Pick<SpendBuckets, 'step' | 'isFirstLonger'> {
  readonly timeZone: string;
  readonly nowMs: number;
  readonly buckets: readonly SpendBucket[];
  /** Of the whole period, where most was spent first. */
  readonly capabilities: readonly CapabilitySum[];
  readonly total: SpendSum;
  /** Who spent most, first; empty where the report is about one member. */
  readonly topMembers: readonly MemberSum[];
  /** Caps of what the report is about, as they stand now. */
  readonly caps: readonly CapView[];
  /** Whether something counts against these caps from before the member's data was removed. */
  readonly countsFromBefore: boolean;
  /** The approximate amount that will be charged by the end of the period; null if it cannot be estimated. */
  readonly forecast: MicroUsd | null;
  /** When the tightest cap of the period will be used up at that pace; null where it lasts, or nobody can tell. */
  readonly usedUpAtMs: number | null;
  /** Nothing was ever spent, in no period. */
  readonly isNew: boolean;
}

interface SpendFacts {
  readonly subject: SpendSubject;
  readonly parts: SpendBuckets;
  /** One list for each part, in which a capability may come several times. */
  readonly spent: readonly (readonly CapabilitySum[])[];
  readonly topMembers: readonly MemberSum[];
  readonly caps: readonly CapView[];
  readonly countsFromBefore: boolean;
  readonly timeZone: string;
  readonly nowMs: number;
  readonly isNew: boolean;
}

/** The amounts charged and set aside together, which count against budgets. Replies show the two figures separately. */
export function usedOf({ posted, pending }: Pick<SpendSum, 'posted' | 'pending'>): MicroUsd {
  return addMicros(posted, pending);
}

/** Puts a report together from what was read. */
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
    // Amounts set aside leave less of the cap for further charges.
    usedUpAtMs:
      isOpen(subject.period) && cap
        ? usedUpAtMs(paceOf(cap, nowMs), subtractMicros(cap.limit, cap.pending))
        : null,
    isNew,
  };
}

/** The pace at which a cap is used up in its own window, which may differ from the window of the report. */
function paceOf(cap: CapView, nowMs: number): Pace {
  const { startsAtMs, resetsAtMs } = cap;
  return { startsAtMs, endsAtMs: resetsAtMs ?? nowMs, nowMs, charged: cap.posted };
}

/** The tightest cap of exactly what the report shows, for `period`: the line that its sums must stay below. */
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

/** The period of caps that counts as long as the report's own. */
export function capPeriodOf(period: SpendPeriod): CapView['period'] {
  return period === 'total' ? 'total' : (period.replace('last_', '') as Exclude<CapView['period'], 'total'>);
}

/** The caps of a guild limit what everybody spends together, those of roles and members what one does. */
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
