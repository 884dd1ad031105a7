import { expect, test } from 'vitest';
import { firstEntryAtMs, sumEntriesAfter } from '../../db/queries/entry-sums.ts';
import { listForeign } from '../../db/queries/foreign-use.ts';
import { countHoldsInReview, listOpenHolds } from '../../db/queries/holds.ts';
import { listReconciliations } from '../../db/queries/reconciliations.ts';
import {
  listCallsByServiceId,
  listCallsByTime,
  listCallsOfJobs,
  listChargedFailures,
} from '../../db/queries/service-calls.ts';
import {
  listSessionCalls,
  listSessionsByServiceId,
  listSessionsByTime,
  recordSessionCharge,
} from '../../db/queries/session-calls.ts';
import { micros } from '../../src/base/money.ts';
import type { Trx } from '../../db/schema.ts';
import { slowSteps, useQueryPlans } from './use-query-plans.ts';

const WINDOW = { fromMs: 1, toMs: 2, limit: 10 };

test.each<[string, (trx: Trx) => Promise<unknown>]>([
  ['calls within a time span', (trx) => listCallsByTime(trx, { ...WINDOW, unconfirmed: false })],
  ['calls within a time span without an id', (trx) => listCallsByTime(trx, { ...WINDOW, unconfirmed: true })],
  ['calls by their ids at the service', (trx) => listCallsByServiceId(trx, ['a', 'b'])],
  ['calls of jobs', (trx) => listCallsOfJobs(trx, ['a', 'b'])],
  ['sessions within a time span', (trx) => listSessionsByTime(trx, WINDOW)],
  ['sessions by their ids at the service', (trx) => listSessionsByServiceId(trx, ['a', 'b'])],
  ['sessions by their ids', (trx) => listSessionCalls(trx, ['a', 'b'])],
  ['the charge of a session', (trx) => recordSessionCharge(trx, { id: 'a', charged: micros(1), nowMs: 1 })],
  ['failures that were charged for', (trx) => listChargedFailures(trx, { afterMs: 1, toMs: 2, limit: 10 })],
  ['open holds', (trx) => listOpenHolds(trx, { createdBeforeMs: 1, limit: 10 })],
  ['holds in review', (trx) => countHoldsInReview(trx)],
  ['the first entry', (trx) => firstEntryAtMs(trx)],
  ['the last comparisons', (trx) => listReconciliations(trx, 10)],
])('%s are found without reading everything', async (_name, query) => {
  const plans = await useQueryPlans();
  const plan = await plans.of(query);
  expect(plan.length).toBeGreaterThan(1);
  expect(slowSteps(plan).filter((step) => !isBounded(step))).toEqual([]);
});

test.each<[string, (trx: Trx) => Promise<unknown>]>([
  ['foreign calls', (trx) => listForeign(trx, ['usage:a', 'usage:b'])],
  ['new entries', (trx) => sumEntriesAfter(trx, { afterId: 5, limit: 10 })],
])('%s are summed from new or named rows only', async (_name, query) => {
  const plans = await useQueryPlans();
  const plan = await plans.of(query);
  expect(plan.join('\n')).toMatch(/SEARCH ledger_entries USING/);
});

/**
 * Returns whether a step reads only a few rows: the open holds (which have their own index), or rows in the order of
 * an index up to a limit.
 */
function isBounded(step: string): boolean {
  return /holds_open|SCAN (ledger_entries|reconciliations)$/.test(step);
}
