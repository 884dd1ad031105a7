import { describe, expect, test } from 'vitest';
import { putBudgetSettings } from '../../../../db/queries/budget-settings.ts';
import { micros } from '../../../../src/base/money.ts';
import { anOrigin } from '../../../helpers/an-origin.ts';
import { json } from '../../../media-api/use-stub-api.ts';
import { taggedMedia } from '../../media/tagged-media.ts';
import { picture } from '../../../media-server/test-engine.ts';
import { type InputBench, fromChat, image, useInputs } from '../use-inputs.ts';
import { type PipelineOptions, jobState, usePipeline } from '../use-pipeline.ts';
import type { CallOrigin } from '../../../../src/bot/jobs/call-origin.ts';

/** A rate card with one dollar per second of output. */
const CARD = { version: 7, capabilities: [{ feature: 'video_swap', unit: 'second', rate_usd: 1 }] };
const INPUTS = [
  { field: 'video_key', option: 'video', kind: 'video', source: fromChat('clip') } as const,
  image('face', fromChat('face')),
];
const OWN = anOrigin();
const MODERATOR = anOrigin({ userId: '777', isModerator: true });
const MINUTE_MS = 60_000;

interface Asking extends InputBench {
  /** Runs a member's command until its job waits or ends. Returns the job's id. */
  asks(name?: string): Promise<string>;
}

/** Creates a guild whose members are asked to confirm prices above this many dollars, or never if null. */
async function useAsking(
  aboveUsd: number | null,
  { card = CARD, ...options }: PipelineOptions & { readonly card?: object } = {},
): Promise<Asking> {
  const files = { clip: await taggedMedia('mp4'), face: await picture(60) };
  const limits = { clipSecondsDefault: 2, ...options.limits };
  const bench = await useInputs(files, { ...options, start: false, limits });
  bench.script.pricing = [json(200, card)];
  const above = aboveUsd === null ? null : micros(aboveUsd * 1_000_000);
  await bench.db.transaction('guild:3', (trx) =>
    putBudgetSettings(trx, OWN.guildId, { confirm_above_micros: above }),
  );
  await bench.jobs.start();
  return {
    ...bench,
    async asks(name = 'a') {
      const jobId = await begin(bench, name);
      await expect.poll(async () => (await bench.row(jobId)).asked_at_ms).not.toBeNull();
      await expect.poll(() => bench.publisher.asked.length, { timeout: 10_000 }).toBeGreaterThan(0);
      await expect.poll(async () => (await bench.row(jobId)).lease_owner, { timeout: 10_000 }).toBeNull();
      return jobId;
    },
  };
}

async function begin({ jobs, clock }: InputBench, name: string): Promise<string> {
  const outcome = await jobs.intake.accept({
    ...anOrigin({ interactionId: `interaction_${name}`, receivedAtMs: clock.now() }),
    capability: 'video_swap',
    parameters: {},
    inputs: INPUTS,
  });
  if (!outcome.accepted) throw new Error(`Refused: ${outcome.refusal.reason}`);
  await jobs.intake.acknowledged(outcome.jobId, null);
  return outcome.jobId;
}

describe('a job whose price is above the limit of its guild', () => {
  test('is priced by its files and held for, and is not sent before a yes', async () => {
    const bench = await useAsking(0.5);

    const jobId = await bench.asks();
    await bench.later(5 * MINUTE_MS);
    await bench.later(4 * MINUTE_MS);

    const row = await bench.row(jobId);
    expect(row).toMatchObject({ stage: 'fetched', confirmed_at_ms: null, reply_message_id: '1', line: null });
    expect(row.quote_micros).toBeGreaterThan(900_000);
    expect(row.hold_micros).toBe(Math.round((row.quote_micros ?? 0) * 1.25));
    expect(bench.publisher.asked).toMatchObject([
      {
        capability: 'video_swap',
        price: row.quote_micros,
        held: row.hold_micros,
        lengths: [{ of: 'video', durationMs: (row.quote_micros ?? 0) / 1000 }],
        budget: { left: 10_000_000 - row.hold_micros },
        endsAtMs: (row.asked_at_ms ?? 0) + 10 * MINUTE_MS,
      },
    ]);
    expect(bench.asked).toMatchObject({ upload: 0, submit: 0, job: 0 });
    expect(bench.publisher.cards).toEqual([]);
  });

  test('continues once at the first yes, and its member is not asked again', async () => {
    const bench = await useAsking(0.5);
    const jobId = await bench.asks();

    const said = await Promise.all([1, 2, 3].map(() => bench.jobs.desk.confirm(OWN, jobId)));
    await bench.until(jobId, 'settled');

    expect(said.filter((one) => one.outcome === 'confirmed' && one.isNew)).toHaveLength(1);
    expect(said.filter((one) => one.outcome === 'confirmed')).toHaveLength(3);
    expect(await bench.jobs.desk.confirm(OWN, jobId)).toEqual({ outcome: 'confirmed', isNew: false });
    expect(bench.asked.submit).toBe(1);
    expect(bench.publisher.asked).toHaveLength(1);
    expect(bench.publisher.cards).toMatchObject([{ kind: 'result' }]);
    expect(await bench.hold(jobId)).toMatchObject({ state: 'posted', charged_micros: 40_000 });
  });

  test('continues after a yes that arrives before the bot has recorded that the question is shown', async () => {
    const bench = await useAsking(0.5);
    const said = Promise.withResolvers<unknown>();
    bench.publisher.onAsk = async () => {
      said.resolve(await bench.jobs.desk.confirm(OWN, jobId));
      return { outcome: 'posted', messageId: '1' };
    };

    const jobId = await begin(bench, 'a');
    expect(await said.promise).toEqual({ outcome: 'confirmed', isNew: true });
    await bench.until(jobId, 'settled');

    expect(bench.asked.submit).toBe(1);
    expect(bench.publisher.asked).toHaveLength(1);
  });

  test('continues after a yes in another process, just before that process would record that there was none', async () => {
    const bench = await useAsking(0.5);
    const other = await usePipeline({ db: bench.db, start: false });
    bench.publisher.onAsk = async () => {
      const { id } = await bench.db.kysely.selectFrom('jobs').select('id').executeTakeFirstOrThrow();
      await other.jobs.desk.confirm(OWN, id);
      return { outcome: 'undeliverable', reason: 'channel_gone' };
    };

    const jobId = await begin(bench, 'a');
    const row = await bench.until(jobId, 'settled');

    expect(row).toMatchObject({ outcome: 'succeeded', confirmed_at_ms: expect.any(Number) });
    expect(await bench.hold(jobId)).toMatchObject({ state: 'posted' });
    expect(bench.asked.submit).toBe(1);
  });

  test('ends without a yes in time: nothing is held, sent or charged, and Retry uses its files again', async () => {
    const bench = await useAsking(0.5);
    const jobId = await bench.asks();
    const price = (await bench.row(jobId)).quote_micros;

    await bench.later(10 * MINUTE_MS);
    const row = await bench.until(jobId, 'settled');

    expect(row).toMatchObject({ outcome: 'failed', charged_micros: 0, taken_back: null });
    expect(bench.publisher.cards).toMatchObject([
      { kind: 'failure', failure: { reason: 'not_confirmed', price }, canRetry: true, charged: 0 },
    ]);
    expect(bench.publisher.cards[0]?.budget.left).toBe(10_000_000);
    expect(await bench.hold(jobId)).toMatchObject({ state: 'voided', charged_micros: 0 });
    expect(bench.asked).toMatchObject({ upload: 0, submit: 0 });
    expect(await bench.jobs.desk.confirm(OWN, jobId)).toEqual({ outcome: 'refused', why: 'ended' });

    const again = await bench.jobs.desk.retry({ ...OWN, interactionId: 'again' }, jobId);
    expect(again).toMatchObject({ outcome: 'retried', intake: { accepted: true } });
  });

  test.each<[string, CallOrigin, string]>([
    ['somebody else', anOrigin({ userId: '999' }), 'not_the_asker'],
    ['a moderator', MODERATOR, 'not_the_asker'],
    ['a member of another guild', anOrigin({ guildId: '555' }), 'not_found'],
  ])('cannot be confirmed by %s', async (_who, who, why) => {
    const bench = await useAsking(0.5);
    const jobId = await bench.asks();

    expect(await bench.jobs.desk.confirm(who, jobId)).toEqual({ outcome: 'refused', why });
    expect((await bench.row(jobId)).confirmed_at_ms).toBeNull();
  });

  test('can be cancelled by a moderator, which releases the hold', async () => {
    const bench = await useAsking(0.5);
    const jobId = await bench.asks();

    expect(await bench.jobs.desk.cancel(MODERATOR, jobId)).toMatchObject({ when: 'before_sending' });
    await bench.until(jobId, 'settled');

    expect(await bench.jobs.desk.confirm(OWN, jobId)).toEqual({ outcome: 'refused', why: 'ended' });
    expect(await bench.hold(jobId)).toMatchObject({ state: 'voided' });
    expect(bench.asked.submit).toBe(0);
  });

  test('is shown at the desk with the reason why it waits', async () => {
    const bench = await useAsking(0.5);
    const jobId = await bench.asks();
    const price = (await bench.row(jobId)).quote_micros;

    expect(await bench.jobs.desk.show(OWN, jobId)).toMatchObject({ job: { askedPrice: price } });
    await bench.jobs.desk.confirm(OWN, jobId);
    expect(await bench.jobs.desk.show(OWN, jobId)).toMatchObject({ job: { askedPrice: null } });
  });

  test('ends when the chat does not accept the question, because nobody could answer it', async () => {
    const bench = await useAsking(0.5);
    bench.publisher.onAsk = () => Promise.resolve({ outcome: 'undeliverable', reason: 'channel_gone' });

    const jobId = await begin(bench, 'a');
    await bench.until(jobId, 'settled');

    expect(await bench.hold(jobId)).toMatchObject({ state: 'voided' });
    expect(bench.asked.submit).toBe(0);
  });

  test('is asked about again while the chat cannot be reached', async () => {
    const bench = await useAsking(0.5);
    let failures = 2;
    bench.publisher.onAsk = () => {
      if (failures-- > 0) return Promise.reject(new Error('The chat is away'));
      return Promise.resolve({ outcome: 'posted', messageId: '1' });
    };

    const jobId = await begin(bench, 'a');
    await expect
      .poll(async () => {
        await bench.later(1_000);
        return bench.publisher.asked.length;
      })
      .toBe(3);

    expect(await bench.row(jobId)).toMatchObject({ stage: 'fetched', outcome: null });
  });
});

describe('a job waiting for a yes', () => {
  test('delays no other job, even with one place for each kind of step', async () => {
    const bench = await useAsking(0.5, { limits: { stepsAtOnce: 1 } });
    const waiting = await bench.asks('a');
    const settings = { confirm_above_micros: null };
    await bench.db.transaction('guild:3', (trx) => putBudgetSettings(trx, OWN.guildId, settings));

    const other = await begin(bench, 'b');
    await bench.until(other, 'settled');

    expect((await bench.row(waiting)).stage).toBe('fetched');
    expect(bench.asked.submit).toBe(1);
  });

  test('takes no turn from other jobs, and gets the current turn with the yes', async () => {
    const bench = await useAsking(0.5);
    const waiting = await bench.asks('a');
    await bench.db.kysely.updateTable('jobs').set({ turn: 40 }).where('id', '=', waiting).execute();
    const { turn: before } = await bench.row(waiting);
    const next = await bench.jobs.intake.accept({
      ...anOrigin({ interactionId: 'elsewhere', guildId: '99', receivedAtMs: bench.clock.now() }),
      capability: 'photo_swap',
      parameters: {},
      inputs: [],
    });
    if (!next.accepted) throw new Error('Refused');

    expect((await bench.row(next.jobId)).turn).toBeGreaterThan(before);
    await bench.jobs.desk.confirm(OWN, waiting);
    expect((await bench.row(waiting)).turn).toBe((await bench.row(next.jobId)).turn);
  });

  test('has the full time of a new job once it goes on', async () => {
    const bench = await useAsking(0.5, { limits: { prepareMsMax: 60_000 } });
    const jobId = await bench.asks();
    await bench.later(9 * MINUTE_MS);
    bench.script.upload = [
      ...Array.from({ length: 4 }, () => json(503, {})),
      json(200, { file_key: 'api/u1', url: 'http://127.0.0.1/u' }),
    ];

    await bench.jobs.desk.confirm(OWN, jobId);
    await bench.until(jobId, 'settled', 500);

    expect(bench.publisher.cards).toMatchObject([{ kind: 'result' }]);
  });

  test('does not count the time for an answer as working time', async () => {
    const bench = await useAsking(0.5);
    const jobId = await bench.asks();
    await bench.later(8 * MINUTE_MS);
    await bench.jobs.desk.confirm(OWN, jobId);
    await bench.until(jobId, 'settled', 10);

    const [card] = bench.publisher.cards;
    expect(card?.kind === 'result' && card.tookMs).toBeLessThan(MINUTE_MS);
  });
});

describe('without a question', () => {
  test.each([
    ['a price equal to the limit', 2],
    ['a guild whose admins set no limit', null],
  ])('a job of %s continues', async (_what, above) => {
    const bench = await useAsking(above);

    const jobId = await begin(bench, 'a');
    const row = await bench.until(jobId, 'settled');

    expect(row).toMatchObject({ asked_at_ms: null, confirmed_at_ms: null, outcome: 'succeeded' });
    expect(bench.publisher.asked).toEqual([]);
  });

  test('a picture below it continues, and its price is shown from the start', async () => {
    const bench = await useAsking(0.5, { card: { photo_swap: { rate: 0.04 } } });

    const jobId = await bench.run('a');
    await bench.until(jobId, 'settled');

    expect(bench.publisher.progress.map(({ price }) => price)).not.toContain(null);
    expect(bench.publisher.asked).toEqual([]);
  });

  test('a price is shown as soon as the lengths are known, and not before', async () => {
    const bench = await useAsking(null);

    const jobId = await begin(bench, 'a');
    await bench.until(jobId, 'settled');
    const { quote_micros: price } = await bench.row(jobId);

    const told = bench.publisher.progress.map((card) => [card.stage, card.price]);
    expect(told.slice(0, 2)).toEqual([
      ['fetching', null],
      ['uploading', price],
    ]);
  });
});

test('a Retry is asked about only if its own price is above the limit', async () => {
  const bench = await useAsking(0.5);
  const jobId = await bench.asks();
  await bench.later(10 * MINUTE_MS);
  await bench.until(jobId, 'settled');
  const settings = { confirm_above_micros: micros(50_000_000) };
  await bench.db.transaction('guild:3', (trx) => putBudgetSettings(trx, OWN.guildId, settings));

  const again = await bench.jobs.desk.retry(
    { ...OWN, interactionId: 'again', receivedAtMs: bench.clock.now() },
    jobId,
  );
  if (again.outcome !== 'retried' || !again.intake.accepted) throw new Error('Not retried');
  await bench.jobs.intake.acknowledged(again.intake.jobId, null);
  const row = await bench.until(again.intake.jobId, 'settled');

  expect(row).toMatchObject({ outcome: 'succeeded', asked_at_ms: null });
  expect(bench.publisher.asked).toHaveLength(1);
});

test('a price that changed between hold and charge is explained by the quote that is stored with the hold', async () => {
  const bench = await useAsking(null);
  bench.script.job = [jobState({ charged_usd: 2.5 })];

  const jobId = await begin(bench, 'a');
  const { quote_micros: price, hold_micros: held } = await bench.until(jobId, 'settled');

  const hold = await bench.hold(jobId);
  expect(hold).toMatchObject({ charged_micros: 2_500_000, amount_micros: held });
  expect(hold.overrun_micros).toBe(2_500_000 - held);
  // The length and the minimum are still the same. The rate has changed: it was one dollar per second when the amount
  // was held.
  expect(JSON.parse(hold.rate_card)).toEqual({
    source: 'card',
    version: '7',
    readAtMs: expect.any(Number),
    jobs: null,
    rate: { rate: 1_000_000, unit: 'second', minimum: null, estimatedHold: null },
    units: (price ?? 0) / 1_000_000,
    isKnown: true,
    margin: 1.25,
    price,
    hold: held,
  });
});

test('the stored quote has the measured length, also if the same amount is held for it', async () => {
  const card = { video_swap: { usd_per_second: 0.01, estimated_hold: 0.4 } };
  const bench = await useAsking(null, { card });

  const jobId = await begin(bench, 'a');
  await bench.until(jobId, 'settled');

  const { rate_card: kept } = await bench.hold(jobId);
  expect(JSON.parse(kept)).toMatchObject({ isKnown: true, hold: 400_000 });
});
