import { micros } from '../../../../src/base/money.ts';
import type { CapKey, CapView } from '../../../../src/bot/money/caps/cap.ts';
import { type SpendPeriod, bucketsOf } from '../../../../src/bot/money/spend/spend-buckets.ts';
import { type SpendReport, makeReport } from '../../../../src/bot/money/spend/spend-report.ts';

export const CAPABILITIES = [
  'photo_swap',
  'video_swap',
  'identity_swap',
  'motion_transfer',
  'avatar',
  'lip_sync',
  'voice_swap',
  'live_swap_pro',
] as const;

/** A Wednesday afternoon in the middle of a month. */
export const NOON_MS: number = Date.parse('2026-11-18T13:00:00Z');

export interface ReportWishes {
  readonly period?: SpendPeriod;
  readonly timeZone?: string;
  readonly nowMs?: number;
  readonly firstMs?: number;
  readonly capabilities?: readonly string[];
  /** The amount spent on each capability in each part of the period that has started, in micro-dollars. */
  readonly amount?: number;
  readonly userId?: string | null;
  readonly capability?: string | null;
  readonly caps?: readonly CapView[];
  readonly isNew?: boolean;
}

/** Creates a report in which the same amount was spent on everything at all times. */
export function aReport(wishes: ReportWishes = {}): SpendReport {
  const {
    period = 'month',
    timeZone = 'Europe/Berlin',
    nowMs = NOON_MS,
    userId = null,
    capability = null,
  } = wishes;
  const { firstMs = 0, capabilities = CAPABILITIES, amount = 10_000, caps = [], isNew = false } = wishes;
  const parts = bucketsOf(period, { timeZone, nowMs, firstMs });
  const sums = capabilities.map((name) => ({
    capability: name,
    posted: micros(amount),
    pending: micros(0),
    overrun: micros(0),
  }));
  return makeReport({
    subject: { period, userId, capability },
    parts,
    spent: parts.buckets.map(({ startsAtMs }) => (startsAtMs <= nowMs ? sums : [])),
    topMembers: [],
    caps,
    timeZone,
    nowMs,
    isNew,
    countsFromBefore: false,
  });
}

/** Creates an unused cap for the guild on everything. */
export function aCap(limitMicros: number, period: CapView['period'], changes: Partial<CapKey> = {}): CapView {
  return {
    target: { kind: 'guild' },
    capability: null,
    period,
    limit: micros(limitMicros),
    posted: micros(0),
    pending: micros(0),
    left: micros(limitMicros),
    startsAtMs: 0,
    resetsAtMs: 1,
    ...changes,
  };
}
