import { describe, expect, test } from 'vitest';
import { findJob } from '../../../db/queries/jobs.ts';
import type { Database } from '../../../db/database.ts';
import { insertJob } from '../../../db/queries/jobs.ts';
import type { JobRow, NewJob } from '../../../db/schema/jobs.ts';
import { FakeClock } from '../../helpers/fake-clock.ts';
import { WebhookInbox } from '../../../src/bot/jobs/webhook-inbox.ts';
import { aJob } from '../../db/a-job.ts';
import { STAGES } from '../../db/any-job.ts';
import { useDatabase } from '../../db/use-database.ts';
import { recordingLogger } from '../../helpers/recording-logger.ts';

const DAY_MS = 86_400_000;
const NOW = 100 * DAY_MS;

interface Inbox {
  readonly db: Database;
  readonly clock: FakeClock;
  readonly inbox: WebhookInbox;
  readonly nudges: () => number;
  readonly logged: readonly string[];
  readonly job: () => Promise<JobRow>;
  /** Delivers a webhook with this body to a job's path. */
  readonly deliver: (id: string, data: Readonly<Record<string, unknown>>, path?: string) => Promise<string>;
}

/** Creates the inbox for one job, which is at the service and not due until much later. */
async function useInbox(changes: Partial<NewJob> = {}): Promise<Inbox> {
  const db = await useDatabase();
  const clock = new FakeClock(NOW);
  const logged: string[] = [];
  let nudges = 0;
  const inbox = new WebhookInbox({ db, clock, log: recordingLogger(logged), nudge: () => (nudges += 1) });
  const stage = { stage: 'submitted', service_job_id: 'srv_a', due_at_ms: NOW + DAY_MS } as const;
  await db.transaction('rows', async (trx) => {
    await insertJob(trx, aJob('a', { ...stage, updated_at_ms: NOW - DAY_MS, ...changes }));
    await insertJob(trx, aJob('b', { ...stage, service_job_id: 'srv_b' }));
  });
  return {
    db,
    clock,
    inbox,
    nudges: () => nudges,
    logged,
    async job() {
      const job = await findJob(db.kysely, 'job_a');
      if (!job) throw new Error('There is no such job');
      return job;
    },
    async deliver(deliveryId, data, path = 'callback_a') {
      const told = {
        id: 'srv_a',
        status: 'succeeded',
        output_url: '/out',
        charged_usd: 0.04,
        error: null,
        ...data,
      };
      const event = { event: 'job', sent_at: new Date(0).toISOString(), delivery_id: deliveryId, data: told };
      const body = Buffer.from(JSON.stringify(event));
      const kept = await inbox.receive({ deliveryId, serviceJobId: told.id, callbackToken: path, body });
      return `${kept.kept} ${kept.interactionId}`;
    },
  };
}

describe('a delivery', () => {
  test.each([
    ['its end', {}, 'callback_a', { status: 'succeeded', charged: 40_000 }],
    ['a failure', { status: 'failed', charged_usd: 0 }, 'callback_a', { status: 'failed', charged: 0 }],
    ['that it is still running', { status: 'processing' }, 'callback_a', undefined],
    ['the end of another job', { id: 'srv_b' }, 'callback_a', undefined],
    ['its end by the path of another job', {}, 'callback_b', undefined],
  ])(
    "that reports a job %s is believed if it arrived at the job's own path",
    async (_what, data, path, told) => {
      const { inbox, job, deliver } = await useInbox();
      await deliver('d1', data, path);

      const seen = await inbox.findReportedEnd(await job());

      if (told) expect(seen).toMatchObject(told);
      else expect(seen).toBeUndefined();
    },
  );

  test('reports the newest end, whatever else arrived before or after it', async () => {
    const { inbox, clock, job, deliver, logged } = await useInbox();
    const bodies = [
      { charged_usd: null },
      { charged_usd: 0.05 },
      { status: 'processing' },
      { id: 'srv_b', charged_usd: 9 },
    ];
    for (const [index, data] of bodies.entries()) {
      await deliver(`d${index}`, data);
      await clock.advance(1);
    }

    expect(await inbox.findReportedEnd(await job())).toMatchObject({ id: 'srv_a', charged: 50_000 });
    expect(logged.filter((line) => line.includes('path of another job'))).toHaveLength(1);
  });

  test.each([
    ['wakes its job', {}, {}, 'stored interaction_a', true],
    [
      'wakes its job before the answer to the submit',
      { stage: 'submitting', service_job_id: null },
      {},
      'stored interaction_a',
      true,
    ],
    ['of another job wakes nobody', {}, { id: 'srv_b' }, 'stored interaction_a', false],
    ['of a known end wakes nobody', { stage: 'finished' }, {}, 'stored interaction_a', false],
  ] as const)('%s', async (_what, changes, data, kept, isWoken) => {
    const { deliver, job, nudges } = await useInbox(changes);

    expect(await deliver('d1', data)).toBe(kept);

    expect((await job()).due_at_ms).toBe(isWoken ? NOW : NOW + DAY_MS);
    expect(nudges()).toBe(1);
    expect(await deliver('d1', data)).toBe('duplicate interaction_a');
    expect(nudges()).toBe(1);
  });

  test.each(STAGES)('for a job that is %s keeps its body only while its end is not known', async (stage) => {
    const { db, deliver } = await useInbox({ stage, settled_at_ms: stage === 'settled' ? 1 : null });
    await deliver('d1', {});

    const isNews = ['accepted', 'fetched', 'uploaded', 'submitting', 'submitted'].includes(stage);
    const [row] = await db.kysely.selectFrom('webhook_deliveries').selectAll().execute();
    expect(row).toMatchObject({ received_at_ms: NOW, processed_at_ms: isNews ? null : NOW });
    expect((row?.body.length ?? 0) > 0).toBe(isNews);
  });

  test('for an unknown path is kept for a job that may become known, and deleted after a week', async () => {
    const { inbox, clock, deliver } = await useInbox();
    expect(await deliver('d1', {}, 'callback_nobody')).toBe('stored null');
    await clock.advance(7 * DAY_MS);
    expect(await inbox.purge()).toBe(0);
    await clock.advance(1);
    expect(await inbox.purge()).toBe(1);
  });

  test('with the same id twice in one batch is kept once', async () => {
    const { deliver } = await useInbox();
    const kept = await Promise.all([deliver('d1', {}), deliver('d1', {}), deliver('d2', {})]);
    expect(kept.toSorted()).toEqual([
      'duplicate interaction_a',
      'stored interaction_a',
      'stored interaction_a',
    ]);
  });
});

test.each([
  ['a job that was not checked for ten seconds is', { updated_at_ms: NOW - 10_000 }, 'srv_a', NOW],
  ['a job that was checked a moment ago is not', { updated_at_ms: NOW - 9_999 }, 'srv_a', NOW + DAY_MS],
  ['a job that is due is not', { due_at_ms: NOW - 5 }, 'srv_a', NOW - 5],
  ['another job is not', {}, 'srv_b', NOW + DAY_MS],
  ['an unknown job is not', {}, 'srv_c', NOW + DAY_MS],
])('after a hint %s checked soon', async (_what, changes, serviceJobId, dueAtMs) => {
  const { inbox, job, nudges } = await useInbox(changes);

  await inbox.hint(serviceJobId);

  expect((await job()).due_at_ms).toBe(dueAtMs);
  expect(nudges()).toBe(dueAtMs === NOW || serviceJobId === 'srv_b' ? 1 : 0);
});
