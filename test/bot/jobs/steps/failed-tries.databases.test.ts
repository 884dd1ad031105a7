import { expect, test } from 'vitest';
import type { JobRow, NewJob } from '../../../../db/schema/jobs.ts';
import { type StepPatch, insertJob } from '../../../../db/queries/jobs.ts';
import { FakeClock } from '../../../helpers/fake-clock.ts';
import { silentLogger } from '../../../../src/base/log.ts';
import { micros } from '../../../../src/base/money.ts';
import { Ceilings } from '../../../../src/bot/jobs/prices/ceilings.ts';
import { JOB_LIMITS } from '../../../../src/bot/jobs/job-limits.ts';
import { type OpenStage, PIPELINE, type PipelineTools } from '../../../../src/bot/jobs/run/pipeline.ts';
import { TypicalTimes } from '../../../../src/bot/jobs/prices/typical-times.ts';
import { DownloadError } from '../../../../src/media-api/download-error.ts';
import { MediaApiRefusal, MediaApiUnreachable } from '../../../../src/media-api/errors.ts';
import { aJob } from '../../../db/a-job.ts';
import { useDatabase } from '../../../db/use-database.ts';

const NOW = 1_000_000_000;
const {
  prepareMsMax: PREPARE,
  submitMsMax: SUBMIT,
  capacityMsMax: CAPACITY,
  collectMsMax: COLLECT,
  postMsMax: POST,
} = JOB_LIMITS;

const refusal = (status: number, code: string) => new MediaApiRefusal('try', { status, code });
const unreachable = (ambiguous: boolean) =>
  new MediaApiUnreachable('try', { code: 'connection_lost', phase: 'body', ambiguous });

const FULL = refusal(429, 'at_capacity');
const WARMING = refusal(502, 'capacity_warming');
const INVALID = refusal(400, 'invalid_input');
const BALANCE = refusal(402, 'insufficient_balance');
const KEY = refusal(401, 'unauthorized');
const PROXY = refusal(403, 'http_403');
const FORBIDDEN = refusal(403, 'unauthorized');
const MISSING = refusal(404, 'not_found');
const FAULT = refusal(500, 'internal_error');
const LOST = unreachable(true);
const UNSENT = unreachable(false);
const BUG = new TypeError('An error of the bot itself');

/**
 * The outcome of a failed attempt: the job repeats the step (`again`), waits, is set aside, or ends for a
 * reason.
 */
type End = 'again' | 'wait' | 'review' | 'undelivered' | `failed ${string}`;

/** A failed attempt: its stage, the error, the job's fields, and the outcome. */
type Case = readonly [stage: OpenStage, error: Error, job: Partial<NewJob>, end: End];

const since = (stage_since_ms: number, attempts: number) => ({
  stage_since_ms: NOW - stage_since_ms,
  attempts,
});
const accepted = (ageMs: number, attempts: number) => ({ accepted_at_ms: NOW - ageMs, attempts });
/**
 * Returns the number of submission attempts, the number of those that left no trace at the service, and the start of
 * the trouble.
 */
const tries = (attempts: number, clean_attempts: number, ageMs = 0) => ({
  clean_attempts,
  ...since(ageMs, attempts),
});

const CASES: readonly Case[] = [
  // Preparing inputs gets five minutes and at least three attempts. While the service refuses the API key, inputs wait
  // for as long as a submission would.
  ...(['accepted', 'fetched'] as const).flatMap((stage): Case[] => [
    [stage, LOST, accepted(PREPARE, 9), 'again'],
    [stage, LOST, accepted(PREPARE + 1, 2), 'again'],
    [stage, LOST, accepted(PREPARE + 1, 3), 'failed service_unreachable'],
    [stage, BUG, accepted(PREPARE + 1, 3), 'failed internal'],
    [stage, FAULT, accepted(PREPARE + 1, 3), 'failed service_refused internal_error'],
    [stage, KEY, accepted(SUBMIT, 9), 'again'],
    [stage, KEY, accepted(SUBMIT + 1, 9), 'failed service_refused unauthorized'],
    // If the member had to confirm a price, the time counts from the confirmation.
    [stage, LOST, { ...accepted(10 * SUBMIT, 9), confirmed_at_ms: NOW - PREPARE }, 'again'],
    [
      stage,
      LOST,
      { ...accepted(10 * SUBMIT, 9), confirmed_at_ms: NOW - PREPARE - 1 },
      'failed service_unreachable',
    ],
  ]),
  ['uploaded', BUG, accepted(10 * CAPACITY, 99), 'again'],
  // A job waits for up to several hours while the service has no room.
  ['submitting', FULL, { ...tries(99, 99, SUBMIT + 1), accepted_at_ms: NOW - CAPACITY }, 'wait'],
  ['submitting', FULL, { ...tries(4, 4), accepted_at_ms: NOW - CAPACITY - 1 }, 'wait'],
  [
    'submitting',
    FULL,
    { ...tries(5, 4), accepted_at_ms: NOW - CAPACITY - 1 },
    'failed service_refused at_capacity',
  ],
  ['submitting', FULL, { ...tries(5, 3), accepted_at_ms: NOW - CAPACITY - 1 }, 'review'],
  ['submitting', WARMING, { ...tries(5, 4), accepted_at_ms: NOW - CAPACITY }, 'wait'],
  [
    'submitting',
    WARMING,
    { ...tries(5, 4), accepted_at_ms: NOW - CAPACITY - 1 },
    'failed service_refused capacity_warming',
  ],
  // A final refusal ends the job if no attempt can have left a job at the service, or if the refusal itself proves that
  // none did.
  ['submitting', INVALID, tries(1, 0), 'failed service_refused invalid_input'],
  ['submitting', INVALID, tries(3, 1), 'failed service_refused invalid_input'],
  ['submitting', BALANCE, tries(3, 1), 'failed service_refused insufficient_balance'],
  ['submitting', PROXY, tries(3, 2), 'failed service_refused http_403'],
  ['submitting', PROXY, tries(3, 1), 'wait'],
  ['submitting', FORBIDDEN, tries(3, 1), 'wait'],
  ['submitting', MISSING, tries(3, 2), 'failed service_refused not_found'],
  ['submitting', MISSING, tries(3, 1), 'wait'],
  // After half an hour and five attempts, any other trouble ends the job. The hold is released only if there can be no
  // job at the service.
  ...([KEY, UNSENT] as const).flatMap((error): Case[] => [
    ['submitting', error, tries(1, 0), 'wait'],
    ['submitting', error, tries(5, 4, SUBMIT), 'wait'],
    ['submitting', error, tries(4, 3, SUBMIT + 1), 'wait'],
    ['submitting', error, tries(5, 3, SUBMIT + 1), 'review'],
  ]),
  ['submitting', KEY, tries(5, 4, SUBMIT + 1), 'failed service_refused unauthorized'],
  ['submitting', UNSENT, tries(5, 4, SUBMIT + 1), 'failed service_unreachable'],
  ...([LOST, FAULT, BUG] as const).flatMap((error): Case[] => [
    ['submitting', error, tries(1, 0, 10 * SUBMIT), 'wait'],
    ['submitting', error, tries(5, 4, SUBMIT), 'wait'],
    ['submitting', error, tries(4, 4, SUBMIT + 1), 'wait'],
    ['submitting', error, tries(5, 4, SUBMIT + 1), 'review'],
  ]),
  ['submitted', LOST, since(1e9, 99), 'wait'],
  ['finished', LOST, since(1e9, 99), 'again'],
  // Fetching a result gets an hour and at least five attempts, unless the result is too large.
  ['charged', LOST, since(COLLECT, 9), 'again'],
  ['charged', LOST, since(COLLECT + 1, 4), 'again'],
  ['charged', LOST, since(COLLECT + 1, 5), 'failed result_lost'],
  ['charged', new DownloadError('too_large'), since(0, 1), 'failed result_lost'],
  ['charged', new DownloadError('cut_short'), since(0, 1), 'again'],
  // Posting a card gets a day and at least five attempts.
  ['collected', BUG, since(POST, 9), 'again'],
  ['collected', BUG, since(POST + 1, 4), 'again'],
  ['collected', BUG, since(POST + 1, 5), 'undelivered'],
  // Only a job whose charge is unknown waits for a long time between two attempts.
  ['posted', LOST, { finished_at_ms: 1, outcome: 'succeeded', charged_micros: null }, 'wait'],
  ['posted', LOST, { finished_at_ms: 1, outcome: 'unknown', charged_micros: null }, 'again'],
  ['posted', LOST, { finished_at_ms: null, outcome: 'failed', charged_micros: null }, 'again'],
  ['posted', LOST, { finished_at_ms: 1, outcome: 'succeeded', charged_micros: micros(0) }, 'again'],
];

/**
 * The changes to a job whose submission is repeated. The job keeps the time of its first attempt only as long as one of
 * the attempts may have left a job at the service.
 */
const KEPT: readonly (readonly [Error, Partial<NewJob>, StepPatch])[] = [
  [FULL, tries(3, 2, 50), { attempts: 0, clean_attempts: 0, submit_from_ms: null }],
  [FULL, tries(3, 1, 50), { clean_attempts: 2, submit_to_ms: NOW }],
  [
    UNSENT,
    tries(3, 2, 50),
    { clean_attempts: 3, submit_to_ms: NOW, submit_from_ms: null, stage_since_ms: NOW - 50 },
  ],
  [UNSENT, tries(3, 1, 50), { clean_attempts: 2, submit_to_ms: NOW, stage_since_ms: NOW - 50 }],
  [LOST, tries(3, 2, 50), { clean_attempts: 2, submit_to_ms: NOW, stage_since_ms: NOW - 50 }],
  // The trouble starts with the first attempt.
  [LOST, tries(1, 0, 50), { clean_attempts: 0, submit_to_ms: NOW, stage_since_ms: NOW }],
];

async function useRun(): Promise<{
  run: PipelineTools;
  aTry: (changes: Partial<NewJob>) => Promise<JobRow>;
}> {
  const db = await useDatabase();
  const clock = new FakeClock(NOW);
  const log = silentLogger;
  const typical = new TypicalTimes(db);
  const parts = { db, clock, log, limits: JOB_LIMITS, typical, ceilings: new Ceilings({ clock, log }) };
  let count = 0;
  return {
    run: { ...parts, voices: { renew: () => undefined }, isHeld: () => true } as unknown as PipelineTools,
    async aTry(changes) {
      const job = aJob(String((count += 1)), { accepted_at_ms: NOW, ...changes });
      return (await db.transaction('rows', (trx) => insertJob(trx, job))).job;
    },
  };
}

test('a failed attempt is repeated, ends its job, or leaves it for review, depending on its stage, error, number and age', async () => {
  const { run, aTry } = await useRun();
  for (const [stage, error, changes, end] of CASES) {
    const what = `${stage}: ${error.message} with ${JSON.stringify(changes)}`;
    expect(endOf(await aTry({ ...changes, stage }), error, run), `after ${what}`).toBe(end);
  }
});

test.each(KEPT)(
  'after %s of a submit with %o, the job knows what may be at the service: %o',
  async (error, changes, patch) => {
    const { run, aTry } = await useRun();
    const result = PIPELINE.submitting.failed?.(await aTry({ ...changes, stage: 'submitting' }), error, run);
    expect(result).toEqual({ kind: 'wait', atMs: expect.any(Number) as number, patch });
  },
);

test.each([null, NOW - 50])(
  'a job that the service has not known since %s stays unknown while the service cannot be reached',
  async (missing_since_ms) => {
    const { run, aTry } = await useRun();
    for (const error of [LOST, FAULT, KEY, BUG]) {
      const job = await aTry({ stage: 'submitted', missing_since_ms, ...since(100, 3) });
      expect(PIPELINE.submitted.failed?.(job, error, run)).toMatchObject({
        kind: 'wait',
        patch: { missing_since_ms },
      });
    }
  },
);

function endOf(job: JobRow, error: Error, run: PipelineTools): string {
  const result = PIPELINE[job.stage as OpenStage].failed?.(job, error, run);
  if (!result) return 'again';
  if (result.kind === 'wait') {
    // A time that is not in the future would repeat the step endlessly.
    return result.atMs > NOW ? 'wait' : `wait until ${result.atMs}`;
  }
  const { patch } = result;
  if (patch?.undelivered === 'unreachable' && result.to === 'posted') return 'undelivered';
  if (result.to !== 'collected') return `to ${result.to}`;
  if (patch?.outcome === 'unknown') return 'review';
  const { reason, code } = JSON.parse(patch?.failure ?? '{}') as { reason?: string; code?: string };
  return `${patch?.outcome} ${reason}${code === undefined ? '' : ` ${code}`}`;
}
