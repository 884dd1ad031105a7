import { expect, test } from 'vitest';
import { insertJob } from '../../../../db/queries/jobs.ts';
import type { NewJob } from '../../../../db/schema/jobs.ts';
import { FakeClock } from '../../../helpers/fake-clock.ts';
import { silentLogger } from '../../../../src/base/log.ts';
import { micros } from '../../../../src/base/money.ts';
import { JOB_LIMITS } from '../../../../src/bot/jobs/job-limits.ts';
import { type OpenStage, PIPELINE, type PipelineTools } from '../../../../src/bot/jobs/run/pipeline.ts';
import type { StepControl } from '../../../../src/bot/jobs/steps/step.ts';
import { TypicalTimes } from '../../../../src/bot/jobs/prices/typical-times.ts';
import { WebhookInbox } from '../../../../src/bot/jobs/webhook-inbox.ts';
import { aJob } from '../../../db/a-job.ts';
import { useDatabase } from '../../../db/use-database.ts';
import { type Reply, refuse, useClient, useStubApi } from '../../../media-api/use-stub-api.ts';
import { jobState } from '../use-pipeline.ts';

const NOW = 1_000_000_000;
const { chargeMsMax: CHARGE, staleMs: STALE, unknownJobMs: UNKNOWN } = JOB_LIMITS;
const CHARGED = jobState();
const UNCHARGED = jobState({ charged_usd: null });
const FAILED = jobState({ status: 'failed', output_url: null, charged_usd: null });
const RUNNING = jobState({ status: 'processing', output_url: null, charged_usd: null });
const MISSING = refuse(404, 'not_found');

/** Returns the field for a job that has been in its stage for `ms`. */
const since = (ms: number): Partial<NewJob> => ({ stage_since_ms: NOW - ms });
const SUCCESS = { outcome: 'succeeded', finished_at_ms: 1 } as const;
const FAILURE = { outcome: 'failed', finished_at_ms: 1 } as const;

/** A stage, the service's response (null: no request may be made), the job's fields, and the expected result. */
type Case = readonly [OpenStage, Reply | null, Partial<NewJob>, Readonly<Record<string, unknown>>];

const CASES: readonly Case[] = [
  // A job that the service does not know is left for review after ten minutes.
  ['submitted', MISSING, {}, { kind: 'wait', patch: { missing_since_ms: NOW } }],
  [
    'submitted',
    MISSING,
    { missing_since_ms: NOW - UNKNOWN + 1 },
    { kind: 'wait', patch: { missing_since_ms: NOW - UNKNOWN + 1 } },
  ],
  [
    'submitted',
    MISSING,
    { missing_since_ms: NOW - UNKNOWN },
    { to: 'collected', patch: { outcome: 'unknown' } },
  ],
  ['submitted', RUNNING, { missing_since_ms: 1 }, { kind: 'wait', patch: { missing_since_ms: null } }],
  [
    'submitted',
    CHARGED,
    {},
    {
      to: 'finished',
      patch: {
        outcome: 'succeeded',
        charged_micros: 40_000,
        output_url: '/out?sig=s',
        failure: null,
        finished_at_ms: NOW,
      },
    },
  ],
  [
    'submitted',
    FAILED,
    {},
    {
      to: 'finished',
      patch: { outcome: 'failed', charged_micros: null, failure: '{"reason":"job","code":"unknown"}' },
    },
  ],
  // The job asks for its charge only if the charge is unknown, and for at most ten minutes. After that, a failed job
  // costs nothing.
  [
    'finished',
    null,
    { ...SUCCESS, charged_micros: micros(7), output_url: '/a' },
    { to: 'charged', patch: { charged_micros: 7, output_url: '/a' } },
  ],
  [
    'finished',
    null,
    { ...FAILURE, charged_micros: micros(0) },
    { to: 'collected', patch: { charged_micros: 0 } },
  ],
  [
    'finished',
    CHARGED,
    { ...SUCCESS, output_url: '/old' },
    { to: 'charged', patch: { charged_micros: 40_000, output_url: '/out?sig=s' } },
  ],
  ['finished', MISSING, { ...SUCCESS, output_url: '/old', ...since(CHARGE) }, { kind: 'wait' }],
  [
    'finished',
    MISSING,
    { ...SUCCESS, output_url: '/old', ...since(CHARGE + 1) },
    { to: 'charged', patch: { output_url: '/old' } },
  ],
  ['finished', UNCHARGED, { ...SUCCESS, ...since(CHARGE) }, { kind: 'wait' }],
  [
    'finished',
    UNCHARGED,
    { ...SUCCESS, ...since(CHARGE + 1) },
    { to: 'charged', patch: { output_url: '/out?sig=s' } },
  ],
  ['finished', FAILED, { ...FAILURE, ...since(CHARGE) }, { kind: 'wait' }],
  [
    'finished',
    FAILED,
    { ...FAILURE, ...since(CHARGE + 1) },
    { to: 'collected', patch: { charged_micros: 0 } },
  ],
  // Once the card is posted, the job asks for an unknown charge every ten minutes, for up to a day.
  ['posted', UNCHARGED, { ...SUCCESS, ...since(STALE) }, { kind: 'wait', atMs: NOW + 600_000 }],
  [
    'posted',
    UNCHARGED,
    { ...SUCCESS, ...since(STALE + 1) },
    { to: 'settled', patch: { charged_micros: null } },
  ],
  ['posted', CHARGED, { ...SUCCESS }, { to: 'settled', patch: { charged_micros: 40_000 } }],
  [
    'posted',
    null,
    { ...SUCCESS, charged_micros: micros(7) },
    { to: 'settled', patch: { charged_micros: 7 } },
  ],
  [
    'posted',
    null,
    { outcome: 'unknown', finished_at_ms: 1 },
    { to: 'settled', patch: { charged_micros: null } },
  ],
  [
    'posted',
    null,
    { outcome: 'failed', finished_at_ms: null },
    { to: 'settled', patch: { charged_micros: null } },
  ],
  // When the job is settled, fields that only earlier steps needed are cleared.
  [
    'posted',
    null,
    { ...SUCCESS, charged_micros: micros(7), request_body: '{}', output_url: '/out', result_path: '/kept' },
    {
      to: 'settled',
      patch: {
        interaction_token: '',
        request_body: null,
        output_url: null,
        settled_at_ms: NOW,
        charged_micros: 7,
      },
    },
  ],
];

/** Creates a sent job, and everything that its steps need to run. */
async function useSent(changes: Partial<NewJob>, reply: Reply) {
  const stub = await useStubApi(reply);
  const db = await useDatabase();
  const clock = new FakeClock(NOW);
  const log = silentLogger;
  const inbox = new WebhookInbox({ db, clock, log, nudge: () => undefined });
  const files = { removeResult: () => Promise.resolve() };
  const parts = { db, clock, log, inbox, files, limits: JOB_LIMITS, typical: new TypicalTimes(db) };
  const run = {
    ...parts,
    api: useClient(stub),
    signal: AbortSignal.timeout(60_000),
  } as unknown as PipelineTools & StepControl;
  const sent = { service_job_id: 'srv_1', submitted_at_ms: NOW - 1_000, accepted_at_ms: NOW - 2_000 };
  const { job } = await db.transaction('rows', (trx) => insertJob(trx, aJob('a', { ...sent, ...changes })));
  return { stub, db, inbox, run, job };
}

test.each(CASES)(
  'a job that is %s, with the answer %o and %o, results in %o',
  async (stage, reply, changes, end) => {
    const { stub, run, job } = await useSent({ ...changes, stage }, reply ?? refuse(404, 'not_found'));

    const result = await PIPELINE[stage].step(job, [], run);

    expect(result).toMatchObject({ kind: 'to' in end ? 'advance' : 'wait', ...end });
    expect(stub.arrivals()).toBe(reply === null ? 0 : 1);
  },
);

test('an end that a webhook reports needs no request, and its body, with the link, is not kept', async () => {
  const { stub, db, inbox, run, job } = await useSent({ stage: 'submitted' }, MISSING);
  const data = { id: 'srv_1', status: 'succeeded', output_url: '/out?sig=s', charged_usd: 0.04, error: null };
  const event = { event: 'job.succeeded', sent_at: new Date(0).toISOString(), delivery_id: 'd1', data };
  const body = Buffer.from(JSON.stringify(event));
  await inbox.receive({ deliveryId: 'd1', serviceJobId: 'srv_1', callbackToken: job.callback_token, body });

  const result = await PIPELINE.submitted.step(job, [], run);
  expect(result).toMatchObject({ kind: 'advance', to: 'finished', patch: { output_url: '/out?sig=s' } });
  await db.transaction('rows', async (trx) => (result.kind === 'advance' ? result.also?.(trx) : undefined));

  expect(stub.arrivals()).toBe(0);
  const [row] = await db.kysely.selectFrom('webhook_deliveries').selectAll().execute();
  expect(row).toMatchObject({ processed_at_ms: NOW });
  expect(row?.body.length).toBe(0);
});
