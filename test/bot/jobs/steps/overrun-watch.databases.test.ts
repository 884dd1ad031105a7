import { describe, expect, test } from 'vitest';
import { putBudgetSettings } from '../../../../db/queries/budget-settings.ts';
import { micros } from '../../../../src/base/money.ts';
import { silentLogger } from '../../../../src/base/log.ts';
import { BudgetRules } from '../../../../src/bot/money/budgets/budget-rules.ts';
import { OverrunWatches } from '../../../../src/bot/money/ledger/overrun-watches.ts';
import { Overruns } from '../../../../src/bot/money/overruns/overruns.ts';
import { anOrigin } from '../../../helpers/an-origin.ts';
import { setCap } from '../../money/caps/set-cap.ts';
import { type Reply, json } from '../../../media-api/use-stub-api.ts';
import { type Pipeline, jobState, usePipeline } from '../use-pipeline.ts';

const CARD = { capabilities: [{ feature: 'photo_swap', unit: 'image', rate_usd: 0.04 }] };
const OWN = anOrigin();
const ADMIN = anOrigin({ userId: '777', isAdmin: true });
const MINUTE_MS = 60_000;
const WATCH = { capability: 'photo_swap', held: 50_000, charged: 200_000 };

interface Watched extends Pipeline {
  readonly overruns: Overruns;
  /** Starts another job for the member, waits until the member is asked to confirm it, and returns its id. */
  waits(name: string): Promise<string>;
}

/** Creates a member whose first job was charged `charged` dollars, while $0.05 was held for it. */
async function useWatched(
  charged: number,
  { later = 0.04, pricing = [json(200, CARD)] }: { readonly later?: number; readonly pricing?: Reply[] } = {},
): Promise<Watched> {
  const bench = await usePipeline({ start: false });
  const { db, clock } = bench;
  bench.script.pricing = pricing;
  bench.script.job = [jobState({ charged_usd: charged }), jobState({ id: 'srv_2', charged_usd: later })];
  bench.script.submit = ['srv_1', 'srv_2', 'srv_3'].map((id) =>
    json(200, { id, status: 'queued', status_url: `/api/v1/jobs/${id}` }),
  );
  await bench.jobs.start();
  // The rate card is read again only if the last read was long enough ago.
  clock.shift(20_000);
  await bench.until(await bench.run('first'), 'settled');
  const rules = new BudgetRules({ db, clock, timeZone: 'UTC' });
  const watches = new OverrunWatches({ clock, pseudonymOf: String });
  return {
    ...bench,
    overruns: new Overruns({ db, log: silentLogger, rules, watches }),
    async waits(name) {
      const jobId = await bench.run(name);
      await expect.poll(async () => (await bench.row(jobId)).asked_at_ms, { timeout: 20_000 }).not.toBeNull();
      await expect.poll(() => bench.publisher.asked.length, { timeout: 20_000 }).toBeGreaterThan(0);
      await expect.poll(async () => (await bench.row(jobId)).lease_owner, { timeout: 20_000 }).toBeNull();
      return jobId;
    },
  };
}

describe('after a charge of more than twice its hold', () => {
  test('the member’s next job waits, and its card says why', async () => {
    const bench = await useWatched(0.2);

    const jobId = await bench.waits('next');

    expect(await bench.row(jobId)).toMatchObject({ stage: 'fetched', confirmed_at_ms: null });
    expect(bench.publisher.asked).toMatchObject([{ price: 40_000, overrun: WATCH }]);
    expect(bench.publisher.cards).toMatchObject([{ charged: 200_000, startsReview: true }]);
    expect(bench.asked.submit).toBe(1);
  });

  test('neither the member nor a member without rights can release it', async () => {
    const bench = await useWatched(0.2);
    const jobId = await bench.waits('next');

    expect(await bench.jobs.desk.confirm(OWN, jobId)).toEqual({ outcome: 'refused', why: 'overrun_unseen' });
    await expect(bench.overruns.clear(OWN, OWN.userId)).rejects.toThrow('manage');
    expect((await bench.row(jobId)).confirmed_at_ms).toBeNull();
    expect(bench.asked.submit).toBe(1);
  });

  test('goes on after a manager reviews the charge, and later jobs do not wait', async () => {
    const bench = await useWatched(0.2);
    const jobId = await bench.waits('next');

    expect(await bench.overruns.clear(ADMIN, OWN.userId)).toBe(true);
    expect(await bench.overruns.clear(ADMIN, OWN.userId)).toBe(false);
    bench.jobs.nudge();
    expect(await bench.until(jobId, 'settled')).toMatchObject({ outcome: 'succeeded' });

    bench.script.job = [jobState({ id: 'srv_3' })];
    await bench.until(await bench.run('later'), 'settled');
    expect(bench.publisher.asked).toHaveLength(1);
    expect(bench.asked.submit).toBe(3);
  });

  test('the member is then asked about its price, if the guild requires that', async () => {
    const bench = await useWatched(0.2);
    const settings = { confirm_above_micros: micros(10_000) };
    await bench.db.transaction('guild:3', (trx) => putBudgetSettings(trx, OWN.guildId, settings));
    const jobId = await bench.waits('next');
    await bench.later(9 * MINUTE_MS);

    await bench.overruns.clear(ADMIN, OWN.userId);
    bench.jobs.nudge();
    await expect.poll(() => bench.publisher.asked.length, { timeout: 20_000 }).toBe(2);

    expect(bench.publisher.asked[1]).toMatchObject({ overrun: null, price: 40_000 });
    await bench.later(9 * MINUTE_MS);
    expect(await bench.jobs.desk.confirm(OWN, jobId)).toMatchObject({ outcome: 'confirmed' });
    expect(await bench.until(jobId, 'settled')).toMatchObject({ outcome: 'succeeded' });
  });

  test('ends uncharged if nobody reviews the charge in time, and the next job waits as well', async () => {
    const bench = await useWatched(0.2);
    const jobId = await bench.waits('next');

    await bench.later(10 * MINUTE_MS);
    await bench.until(jobId, 'settled');

    expect(bench.publisher.cards.at(-1)).toMatchObject({
      kind: 'failure',
      failure: { reason: 'overrun_unseen' },
      canRetry: true,
      charged: 0,
    });
    expect(await bench.hold(jobId)).toMatchObject({ state: 'voided' });
    await bench.waits('another');
    expect(bench.asked.submit).toBe(1);
  });

  test('also waits in another process, and a release in this process lets it go on', async () => {
    const bench = await useWatched(0.2);
    await bench.jobs[Symbol.asyncDispose]();
    const other = await usePipeline({ db: bench.db, start: false });
    other.script.pricing = [json(200, CARD)];
    other.script.submit = [json(200, { id: 'srv_9', status: 'queued', status_url: '/api/v1/jobs/srv_9' })];
    other.script.job = [jobState({ id: 'srv_9' })];
    await other.jobs.start();
    const jobId = await other.run('next');
    await expect.poll(() => other.publisher.asked.length, { timeout: 20_000 }).toBe(1);

    await bench.overruns.clear(ADMIN, OWN.userId);
    expect(await other.until(jobId, 'settled')).toMatchObject({ outcome: 'succeeded' });
  });

  test('other members do not wait, and the list shows both amounts and the cause', async () => {
    const bench = await useWatched(0.2);
    const other = await bench.jobs.intake.accept({
      ...anOrigin({ interactionId: 'other', userId: '555', receivedAtMs: bench.clock.now() }),
      capability: 'photo_swap',
      parameters: {},
      inputs: [],
    });
    if (!other.accepted) throw new Error('Refused');
    await bench.jobs.intake.acknowledged(other.jobId, null);
    await bench.until(other.jobId, 'settled');

    expect(bench.publisher.asked).toEqual([]);
    const shown = await bench.overruns.show(ADMIN);
    expect(shown.overruns).toMatchObject([{ ...WATCH, cause: 'price', userId: OWN.userId }]);
    expect(shown.waiting).toMatchObject([{ ...WATCH, userId: OWN.userId }]);
    await expect(bench.overruns.show(OWN)).rejects.toThrow('manage');
  });
});

test.each([
  ['twice its hold', 0.1],
  ['less than its hold', 0.04],
])('a charge of %s makes no job wait', async (_what, charged) => {
  const bench = await useWatched(charged);

  await bench.until(await bench.run('next'), 'settled');

  expect(bench.publisher.asked).toEqual([]);
  expect((await bench.overruns.show(ADMIN)).waiting).toEqual([]);
});

describe('after the service raised its price', () => {
  const HIGHER_PRICE = {
    capabilities: [
      { feature: 'photo_swap', unit: 'image', rate_usd: 0.3 },
      { feature: 'live_swap_pro', unit: 'second', rate_usd: 0.01 },
    ],
  };

  /**
   * Creates a member for whom the rate card is read again. The service sends the new prices only when `open` is called,
   * but charges the first job the new price in any case.
   */
  async function useHigherPrice(): Promise<Watched & { readonly open: () => void }> {
    const read = Promise.withResolvers<void>();
    const pricing: Reply[] = [
      json(200, CARD),
      async (...call) => {
        await read.promise;
        await json(200, HIGHER_PRICE)(...call);
      },
    ];
    const bench = await useWatched(0.3, { later: 0.3, pricing });
    return { ...bench, open: read.resolve };
  }

  /** Waits until the new rate card is known. */
  async function untilHigherPrice(bench: Watched & { readonly open: () => void }): Promise<void> {
    bench.open();
    const { sessionQuotes } = bench.jobs;
    await expect
      .poll(() => sessionQuotes.priceOfSession('live_swap_pro', 60), { timeout: 5_000 })
      .not.toBeNull();
  }

  test('a charge above its hold makes the bot read the rate card again, once', async () => {
    const bench = await useHigherPrice();
    await untilHigherPrice(bench);

    await bench.waits('next');

    expect(bench.publisher.asked).toMatchObject([{ price: 300_000 }]);
    expect(bench.asked.pricing).toBe(2);
  });

  test('a job that waited for a review is held for at the new price when it is released', async () => {
    const bench = await useHigherPrice();
    const jobId = await bench.waits('next');
    expect(bench.publisher.asked).toMatchObject([{ price: 40_000 }]);

    await untilHigherPrice(bench);
    await bench.overruns.clear(ADMIN, OWN.userId);
    bench.jobs.nudge();
    await bench.until(jobId, 'settled');

    expect(await bench.hold(jobId)).toMatchObject({
      amount_micros: 375_000,
      charged_micros: 300_000,
      overrun_micros: 0,
    });
    expect(bench.publisher.cards.at(-1)).toMatchObject({ kind: 'result', held: 375_000 });
  });

  test('such a job ends with the plain reason if the budget does not have that much left', async () => {
    const bench = await useHigherPrice();
    const jobId = await bench.waits('next');
    await setCap(bench.db.kysely, { guildId: OWN.guildId, limit: 500_000 });

    await untilHigherPrice(bench);
    await bench.overruns.clear(ADMIN, OWN.userId);
    bench.jobs.nudge();
    await bench.until(jobId, 'settled');

    expect(bench.publisher.cards.at(-1)).toMatchObject({
      kind: 'failure',
      failure: { reason: 'budget', needed: 375_000, cap: { limit: 500_000 } },
    });
    expect(await bench.hold(jobId)).toMatchObject({ state: 'voided' });
    expect(bench.asked.submit).toBe(1);
  });

  test('its member is asked about the new price, where the guild requires that', async () => {
    const bench = await useHigherPrice();
    const settings = { confirm_above_micros: micros(100_000) };
    await bench.db.transaction('guild:3', (trx) => putBudgetSettings(trx, OWN.guildId, settings));
    await bench.waits('next');

    await untilHigherPrice(bench);
    await bench.overruns.clear(ADMIN, OWN.userId);
    bench.jobs.nudge();

    await expect.poll(() => bench.publisher.asked.length, { timeout: 20_000 }).toBe(2);
    expect(bench.publisher.asked[1]).toMatchObject({ overrun: null, price: 300_000 });
    expect(bench.asked.submit).toBe(1);
  });

  test('a yes to the old price is no yes to the new one: the member is asked again', async () => {
    const bench = await useHigherPrice();
    const settings = { confirm_above_micros: micros(10_000) };
    await bench.db.transaction('guild:3', (trx) => putBudgetSettings(trx, OWN.guildId, settings));
    const jobId = await bench.waits('next');
    await bench.overruns.clear(ADMIN, OWN.userId);
    bench.jobs.nudge();
    await expect.poll(() => bench.publisher.asked.length, { timeout: 20_000 }).toBe(2);
    await expect.poll(async () => (await bench.row(jobId)).lease_owner, { timeout: 20_000 }).toBeNull();

    await untilHigherPrice(bench);
    expect(await bench.jobs.desk.confirm(OWN, jobId)).toMatchObject({ outcome: 'confirmed', isNew: true });
    await expect.poll(() => bench.publisher.asked.length, { timeout: 20_000 }).toBe(3);
    await expect.poll(async () => (await bench.row(jobId)).lease_owner, { timeout: 20_000 }).toBeNull();

    expect(bench.publisher.asked.map(({ price }) => price)).toEqual([40_000, 40_000, 300_000]);
    expect(bench.asked.submit).toBe(1);
    expect(await bench.jobs.desk.confirm(OWN, jobId)).toMatchObject({ outcome: 'confirmed', isNew: true });
    await bench.until(jobId, 'settled');
    expect(await bench.hold(jobId)).toMatchObject({ amount_micros: 375_000, overrun_micros: 0 });
    expect(bench.publisher.asked).toHaveLength(3);
  });
});
