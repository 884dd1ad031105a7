import { z } from 'zod';
import { getSetting, putSetting } from '../../../../db/queries/settings.ts';
import type { Queryable, Trx } from '../../../../db/schema.ts';
import { type MicroUsd, ZERO, micros } from '../../../base/money.ts';
import type { UsageHabits } from '../../../media-api/usage-dialects.ts';
import type { IdRelation } from './id-relation.ts';

/** Sums of all entries up to one that nothing older follows. */
export interface Checkpoint {
  readonly entryId: number;
  readonly spent: MicroUsd;
  readonly pending: MicroUsd;
  readonly foreign: MicroUsd;
}

/** What one comparison hands on to the next. */
export interface ReconciliationState {
  /** Since when (epoch milliseconds) the account's use is looked into: what was before is nobody's here. */
  readonly sinceMs: number;
  /** Spent at the service before `sinceMs`; null until that is known. */
  readonly spentEarlier: MicroUsd | null;
  /** Everything up to then is decided. */
  readonly decidedToMs: number;
  readonly habits: UsageHabits | null;
  readonly ids: IdRelation;
  readonly checkpoint: Checkpoint;
  /** Prices in the usage log that the job itself does not confirm, by record id: believed when they last. */
  readonly disputed: Readonly<Record<string, MicroUsd>>;
  /** Use beside the guilds' that the operator was told of. */
  readonly told: MicroUsd;
  /** When something was told last; null when that is long ago. */
  readonly toldAtMs: number | null;
  /** Up to which moment of settling charged failures were told. */
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

/** Undefined before the first comparison. */
export async function loadState(db: Queryable): Promise<ReconciliationState | undefined> {
  const text = await getSetting(db, NAME);
  return text === undefined ? undefined : state.parse(JSON.parse(text));
}

export async function saveState(trx: Trx, next: ReconciliationState): Promise<void> {
  await putSetting(trx, NAME, JSON.stringify(next));
}

/** That of an account whose use is looked into from `sinceMs` on. */
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
