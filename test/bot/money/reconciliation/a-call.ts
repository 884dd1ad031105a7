import { type MicroUsd, micros } from '../../../../src/base/money.ts';
import type { UsageRecord } from '../../../../src/media-api/account.ts';
import { type Evidence, type Verdicts, judge } from '../../../../src/bot/money/reconciliation/judge.ts';
import type { KnownCall } from '../../../../src/bot/money/reconciliation/known-call.ts';

export const MINUTE_MS: number = 60_000;
export const NOW_MS: number = 1_000 * MINUTE_MS;
const WINDOW = { fromMs: 0, toMs: NOW_MS };

/** Creates a settled photo swap for $0.04 that was at the service from minute 100 to minute 105. */
export function aCall(subject: string, changes: Partial<KnownCall> = {}): KnownCall {
  return {
    subject,
    guildId: 'guild',
    serviceId: `srv_${subject}`,
    feature: 'photo_swap',
    fromMs: 100 * MINUTE_MS,
    toMs: 105 * MINUTE_MS,
    charged: micros(40_000),
    isUnderWay: false,
    ...changes,
  };
}

/** Creates the usage record of a photo swap for $0.04 in minute 102. */
export function aRecord(id: string, changes: Partial<UsageRecord> = {}): UsageRecord {
  return {
    id,
    endpoint: 'face-swap-image',
    feature: 'photo_swap',
    status: 'succeeded',
    charged: micros(40_000),
    reason: null,
    createdAtMs: 102 * MINUTE_MS,
    ...changes,
  };
}

export const at = (minute: number): Pick<KnownCall, 'fromMs' | 'toMs'> => ({
  fromMs: minute * MINUTE_MS,
  toMs: (minute + 5) * MINUTE_MS,
});

export function judged(changes: Partial<Evidence>): Verdicts {
  return judge({
    calls: [],
    records: [],
    window: WINDOW,
    complete: true,
    ids: 'unproven',
    nowMs: NOW_MS,
    ...changes,
  });
}

/** Changes for `aCall`: its charge is unknown, or it is unknown whether the call was made at all. */
export const open = { charged: null } as const;
export const unconfirmed = { charged: null, serviceId: null } as const;
export const price = (cents: number): { readonly charged: MicroUsd } => ({ charged: micros(cents * 10_000) });
export const prices = ({ settled, inferred }: Verdicts): Record<string, number> =>
  Object.fromEntries([...settled, ...inferred].map(({ call, charged }) => [call.subject, charged]));
export const foreign = (verdicts: Verdicts): readonly string[] => verdicts.foreign.map(({ id }) => id);
