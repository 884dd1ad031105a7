import { expect, test } from 'vitest';
import { type OpenStage, PIPELINE } from '../../../../src/bot/jobs/run/pipeline.ts';
import { gate } from '../../discord/use-bot.ts';
import type { Ending } from './played-job.ts';
import { usePipeline } from '../use-pipeline.ts';
import { useStageMachine } from './use-stage-machine.ts';

const DEATHS = 3;

/**
 * The outcome of a job that would succeed at the service, but whose workers die whenever they run a certain one of its
 * steps.
 */
interface End {
  readonly outcome: 'succeeded' | 'failed' | 'unknown';
  readonly failure?: string;
  readonly hold: 'posted' | 'voided' | 'review';
  /** The final cards that were sent to the chat. */
  readonly cards: readonly unknown[];
}

const UNSENT: End = {
  outcome: 'failed',
  failure: 'crashed',
  hold: 'voided',
  cards: [{ kind: 'failure', failure: { reason: 'crashed' }, charged: 0 }],
};
/** The service may charge for the job, so its hold is not released. */
const UNSURE: End = {
  outcome: 'unknown',
  failure: 'unconfirmed',
  hold: 'review',
  cards: [{ kind: 'failure', failure: { reason: 'unconfirmed' }, charged: null }],
};
const MADE: End = { outcome: 'succeeded', hold: 'posted', cards: [{ kind: 'result', charged: 40_000 }] };

const ENDS: Readonly<Record<OpenStage, End>> = {
  accepted: UNSENT,
  fetched: UNSENT,
  uploaded: UNSENT,
  submitting: UNSURE,
  submitted: UNSURE,
  finished: MADE,
  charged: {
    outcome: 'failed',
    failure: 'result_lost',
    hold: 'posted',
    cards: [{ kind: 'failure', failure: { reason: 'result_lost' }, charged: 40_000 }],
  },
  collected: MADE,
  posted: MADE,
};
const MOMENTS = ['starting', 'effected'] as const;

function reasonOf({ job }: Ending): string | undefined {
  return job.failure === null ? undefined : (JSON.parse(job.failure) as { reason: string }).reason;
}

test('a job whose step ends its process three times in a row ends by itself, whichever step it is', async () => {
  const machine = await useStageMachine({ lostLeasesMax: DEATHS });
  for (const [stage, { outcome, failure, hold, cards: all }] of Object.entries(ENDS)) {
    for (const moment of MOMENTS) {
      const deaths = Array.from({ length: DEATHS + 5 }, () => ({ stage, moment }));
      const job = await machine.begin(
        { status: 'succeeded', isChargeLate: false },
        { isHolding: false, deaths },
      );
      const ending = await job.drain();
      await job.end();
      // If the step that posts the card never starts, no card is shown.
      const cards = stage === 'collected' && moment === 'starting' ? [] : all;

      expect(ending, `${moment} ${stage}`).toMatchObject({ job: { outcome }, hold: { state: hold }, cards });
      expect(ending.cards).toHaveLength(cards.length);
      expect(reasonOf(ending)).toBe(failure);
      expect(job.deaths, `${moment} ${stage}`).toBe(DEATHS);
    }
  }
});

test('a charge that cannot be learned because its processes die leaves the hold for review', async () => {
  const machine = await useStageMachine({ lostLeasesMax: DEATHS });
  const stages = ['finished', 'posted'];
  const deaths = stages.flatMap((stage) =>
    Array.from({ length: DEATHS }, () => ({ stage, moment: 'starting' as const })),
  );
  const job = await machine.begin({ status: 'succeeded', isChargeLate: true }, { isHolding: false, deaths });
  job.service.hideCharge();

  const ending = await job.drain();
  await job.end();

  expect(ending).toMatchObject({
    job: { outcome: 'succeeded', charged_micros: null },
    hold: { state: 'review' },
    cards: [{ kind: 'result', charged: null }],
  });
});

test('two deaths, a result and two more deaths are no reason to give up', async () => {
  const machine = await useStageMachine({ lostLeasesMax: DEATHS });
  const twice = (stage: OpenStage) =>
    Array.from({ length: 2 }, () => ({ stage, moment: 'starting' as const }));
  const deaths = (Object.keys(PIPELINE) as OpenStage[]).flatMap(twice);
  const job = await machine.begin({ status: 'succeeded', isChargeLate: false }, { isHolding: false, deaths });

  const ending = await job.drain();
  await job.end();

  expect(ending).toMatchObject({ job: { outcome: 'succeeded' }, hold: { state: 'posted' } });
  expect(job.deaths).toBe(18);
});

const POSTED = { outcome: 'posted', messageId: '1' } as const;
/** A job in whose step two processes have died: one lost lease is counted, and another has expired. */
const SUSPECT = { lost_leases: 1, lease_owner: 'dead', lease_until_ms: 0, due_at_ms: 0 } as const;

test('the last try of a job runs alone in its process, so that a third death counts against no other job', async () => {
  const pipeline = await usePipeline();
  const answered = [gate(), gate(), gate()] as const;
  pipeline.publisher.answers = answered.map(
    ({ promise }) =>
      () =>
        promise.then(() => POSTED),
  );
  const shown = async (count: number): Promise<void> => {
    await expect.poll(() => pipeline.publisher.cards.length, { interval: 10, timeout: 20_000 }).toBe(count);
  };
  const beside = await pipeline.run('beside');
  await shown(1);
  const suspect = await pipeline.accept('suspect');
  await pipeline.db.kysely
    .updateTable('jobs')
    .set({ ...SUSPECT, stage: 'collected', outcome: 'failed', failure: '{"reason":"internal"}', attempts: 2 })
    .where('id', '=', suspect)
    .execute();

  // While another job's step runs, the last try waits, and no other step starts.
  const late = await pipeline.run('late');
  await expect.poll(async () => (await pipeline.row(suspect)).line).toBe('last try');
  expect(await pipeline.row(suspect)).toMatchObject({ lease_owner: 'dead' });
  answered[0].resolve();
  await shown(2);
  expect(pipeline.publisher.cards[1]).toMatchObject({ failure: { reason: 'internal' } });
  expect(await pipeline.row(suspect)).toMatchObject({ lost_leases: 2 });
  expect(await pipeline.row(late)).toMatchObject({ stage: 'accepted', lease_owner: null });

  // Once the last try is over, all jobs continue.
  answered[1].resolve();
  answered[2].resolve();
  for (const job of [beside, suspect]) await pipeline.until(job, 'settled');
  expect(await pipeline.row(suspect)).toMatchObject({ lost_leases: 0, undelivered: null });
  await expect.poll(async () => (await pipeline.row(late)).stage).not.toBe('accepted');
});

test('logs once which step is not run again', async () => {
  const pipeline = await usePipeline();
  const jobId = await pipeline.accept();
  await pipeline.db.kysely
    .updateTable('jobs')
    .set({ ...SUSPECT, lost_leases: 2 })
    .execute();
  await pipeline.jobs.intake.acknowledged(jobId, null);

  await pipeline.until(jobId, 'settled');

  expect(pipeline.publisher.cards).toMatchObject([
    { failure: { reason: 'crashed' }, canRetry: false, charged: 0 },
  ]);
  expect(await pipeline.hold(jobId)).toMatchObject({ state: 'voided' });
  expect(pipeline.logged.filter((line) => line.includes('not run again'))).toHaveLength(1);
});
