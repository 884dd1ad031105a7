import { z } from 'zod';
import { getSetting, putSetting } from '../../../../db/queries/settings.ts';
import type { Queryable, Trx } from '../../../../db/schema.ts';
import { type MicroUsd, ZERO, micros } from '../../../base/money.ts';
import type { UsageHabits } from '../../../media-api/usage-dialects.ts';
import type { IdRelation } from './id-relation.ts';

/** The sums of all entries up to an id below which no new entry can appear. */
export interface Checkpoint {
  readonly entryId: number;
  readonly spent: MicroUsd;
  readonly pending: MicroUsd;
  readonly foreign: MicroUsd;
}

/** The state that one comparison passes to the next. */
export interface ReconciliationState {
  /** The time (epoch milliseconds) from which the use of the account is examined. Earlier use is ignored. */
  readonly sinceMs: number;
  /** The amount spent at the service before `sinceMs`; null until it is known. */
  readonly spentEarlier: MicroUsd | null;
  /** The time up to which everything is decided. */
  readonly decidedToMs: number;
  readonly habits: UsageHabits | null;
  readonly ids: IdRelation;
  readonly checkpoint: Checkpoint;
  /**
   * Prices in the usage log that the service did not confirm for the job itself, by record id. They are used if a later
   * comparison finds them again.
   */
  readonly disputed: Readonly<Record<string, MicroUsd>>;
  /** The amount of foreign use that has been reported to the operator. */
  readonly told: MicroUsd;
  /** The time of the last report to the operator; null if there was none, or if its alert is over. */
  readonly toldAtMs: number | null;
  /** Charged failures that were settled up to this time have been reported. */
  readonly failuresToMs: number;
}

const NAME = 'reconciliation.state';

const amount = z.int().transform((value) => micros(value));
const state: z.ZodType<ReconciliationState> = z.object({
  sinceMs: z.int(),
  spentEarlier: amount.nullable(),
  decidedToMs: z.int(),
  habits: z.object({ dialect: z.string(), pageMax: z.int().positive() }).nullable(),
  ids: z.enum(['equal', 'different', 'unproven']),
  checkpoint: z.object({ entryId: z.int(), spent: amount, pending: amount, foreign: amount }),
  disputed: z.record(z.string(), amount),
  told: amount,
  toldAtMs: z.int().nullable(),
  failuresToMs: z.int(),
});

/** Returns the stored state; `undefined` before the first comparison. */
export async function loadState(db: Queryable): Promise<ReconciliationState | undefined> {
  const text = await getSetting(db, NAME);
  return text === undefined ? undefined : state.parse(JSON.parse(text));
}

export async function saveState(trx: Trx, next: ReconciliationState): Promise<void> {
  await putSetting(trx, NAME, JSON.stringify(next));
}

/** Returns the initial state for an account whose use is examined from `sinceMs`. */
export function firstState(sinceMs: number): ReconciliationState {
  return {
    sinceMs,
    spentEarlier: null,
    decidedToMs: sinceMs,
    habits: null,
    ids: 'unproven',
    checkpoint: { entryId: 0, spent: ZERO, pending: ZERO, foreign: ZERO },
    disputed: {},
    told: ZERO,
    toldAtMs: null,
    failuresToMs: sinceMs,
  };
}
