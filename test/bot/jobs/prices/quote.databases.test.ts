import { describe, expect, test } from 'vitest';
import type { Database } from '../../../../db/database.ts';
import { insertJob } from '../../../../db/queries/jobs.ts';
import { FakeClock } from '../../../helpers/fake-clock.ts';
import { silentLogger } from '../../../../src/base/log.ts';
import { type MicroUsd, micros, parseUsd } from '../../../../src/base/money.ts';
import { Quotes } from '../../../../src/bot/jobs/prices/quote.ts';
import type { QuoteSnapshot } from '../../../../src/bot/jobs/prices/quote-snapshot.ts';
import { Ledger } from '../../../../src/bot/money/ledger/ledger.ts';
import type { Capability } from '../../../../src/media-api/wire.ts';
import { aJob } from '../../../db/a-job.ts';
import { useDatabase } from '../../../db/use-database.ts';
import { type Reply, type StubApi, json, useClient, useStubApi } from '../../../media-api/use-stub-api.ts';

const CARD = {
  capabilities: [{ feature: 'photo_swap', unit: 'image', rate_usd: 0.04, estimated_hold_usd: 0.06 }],
};
const BROKEN = json(400, { error: { code: 'invalid_input', message: '' } });
const ONE = { units: 1, isKnown: true };

interface Desk {
  readonly db: Database;
  readonly clock: FakeClock;
  readonly stub: StubApi;
  readonly quotes: Quotes;
  /** Returns the complete snapshot of a quote for this capability. */
  readonly snapshot: (capability: Capability, units?: number) => QuoteSnapshot;
}

async function useQuotes(
  pricing: Reply,
  options: Partial<ConstructorParameters<typeof Quotes>[0]> = {},
): Promise<Desk> {
  const stub = await useStubApi(pricing);
  const clock = new FakeClock();
  const api = useClient(stub, { clock });
  const db = await useDatabase();
  const quotes = new Quotes({ api, db, clock, log: silentLogger, fallback: parseUsd('0.10'), ...options });
  const snapshot = (capability: Capability, units = 1): QuoteSnapshot =>
    JSON.parse(quotes.of(capability, { units, isKnown: true }).snapshot) as QuoteSnapshot;
  return { db, clock, stub, quotes, snapshot };
}

/** Creates a job that was charged, with the price snapshot of its hold. */
async function charged(
  { db, clock }: Desk,
  name: string,
  job: { readonly capability: Capability; readonly charged: MicroUsd; readonly snapshot: string },
): Promise<void> {
  const ledger = new Ledger({
    clock,
    defaultBudget: { limit: parseUsd(100), period: 'month', timeZone: 'UTC' },
  });
  const { capability, charged: amount, snapshot: rateCard } = job;
  const end = {
    stage: 'settled',
    outcome: 'succeeded',
    charged_micros: amount,
    settled_at_ms: 5_000,
  } as const;
  await db.transaction('guild:guild', async (trx) => {
    const { id } = (await insertJob(trx, aJob(name, { capability, ...end }))).job;
    const owner = { guildId: 'guild', userId: 'user', roleIds: [], capability };
    await ledger.hold(trx, { ...owner, subject: id, amount, rateCard });
    await ledger.post(trx, { subject: id, charged: amount });
  });
}

test('quotes the fallback before the first card, then the card, and keeps it when the service fails', async () => {
  const { stub, clock, quotes } = await useQuotes(BROKEN);
  await using _ = quotes;
  const hold = (): number => quotes.of('photo_swap', ONE).hold;

  await quotes.start();
  expect(quotes.known).toBe(false);
  expect(hold()).toBe(parseUsd('0.10'));

  stub.script(json(200, CARD));
  await clock.advance(15_000);
  await expect.poll(hold).toBe(parseUsd('0.06'));
  expect(quotes.of('photo_swap', ONE).price).toBe(parseUsd('0.04'));

  stub.script(BROKEN);
  const asked = stub.arrivals();
  await clock.advance(600_000);
  await expect.poll(() => stub.arrivals()).toBeGreaterThan(asked);
  expect(hold()).toBe(parseUsd('0.06'));
});

describe('a price comes from', () => {
  const prices = {
    photo_swap: { rate: micros(70_000), per: 'image' },
    video_swap: { rate: micros(30_000), per: 'second', minimum: micros(200_000) },
    avatar: { rate: micros(1_200_000), per: 'minute' },
  } as const;

  test('the card of this key before configured prices', async () => {
    const { quotes, snapshot } = await useQuotes(json(200, CARD), { prices });
    await using _ = quotes;
    await quotes.start();

    expect(snapshot('photo_swap')).toMatchObject({ source: 'card', price: 40_000, hold: 60_000 });
    expect(snapshot('video_swap', 2)).toMatchObject({ source: 'configured', price: 200_000, hold: 250_000 });
    expect(snapshot('video_swap', 10)).toMatchObject({ price: 300_000, hold: 375_000 });
    expect(snapshot('avatar', 30)).toMatchObject({ source: 'configured', price: 600_000 });
    expect(snapshot('lip_sync', 30)).toMatchObject({ source: 'fallback', price: 100_000, hold: 100_000 });
  });

  test('configured prices if the card has no price above zero', async () => {
    const { quotes, snapshot } = await useQuotes(json(200, { photo_swap: { rate: 0 } }), { prices });
    await using _ = quotes;
    await quotes.start();

    expect(snapshot('photo_swap')).toMatchObject({ source: 'configured', price: 70_000 });
  });

  test('what nearly all earlier jobs cost per second, if no other source has a price', async () => {
    const desk = await useQuotes(BROKEN);
    await using quotes = desk.quotes;
    const { snapshot } = quotes.of('lip_sync', { units: 10, isKnown: true });
    for (let at = 0; at < 20; at++) {
      const amount = micros(at === 19 ? 9_000_000 : 200_000 + at);
      await charged(desk, `a${at}`, { capability: 'lip_sync', charged: amount, snapshot });
    }
    await quotes.start();

    // The one job in twenty that cost far more does not count.
    const learned = { source: 'learned', jobs: 20, price: 5 * 20_002, hold: 125_013 };
    expect(desk.snapshot('lip_sync', 5)).toMatchObject(learned);
  });

  test('what earlier jobs cost as a whole, while their lengths are not known', async () => {
    const desk = await useQuotes(BROKEN);
    await using quotes = desk.quotes;
    await quotes.start();
    expect(desk.snapshot('video_swap', 500).source).toBe('fallback');

    const charge = { capability: 'video_swap', charged: micros(300_000), snapshot: '{}' } as const;
    await charged(desk, 'a', charge);
    await quotes.learn('video_swap');

    const learned = { source: 'learned', jobs: 1, price: 300_000, hold: 375_000 };
    expect(desk.snapshot('video_swap', 500)).toMatchObject(learned);
    expect(desk.snapshot('lip_sync', 500).source).toBe('fallback');
  });
});

test('a snapshot holds everything from which a quote was computed', async () => {
  const { quotes, snapshot } = await useQuotes(json(200, { version: 7, ...CARD }));
  await using _ = quotes;
  await quotes.start();

  expect(snapshot('photo_swap')).toEqual({
    source: 'card',
    version: '7',
    readAtMs: expect.any(Number),
    jobs: null,
    units: 1,
    isKnown: true,
    rate: { rate: 40_000, unit: 'image', minimum: null, estimatedHold: 60_000 },
    margin: 1.25,
    price: 40_000,
    hold: 60_000,
  });
});

describe('of sessions', () => {
  test('are the time at the rate of the card, without a margin', async () => {
    const rates = [{ feature: 'voice_swap', unit: 'minute', rate_usd: 0.06, estimated_hold_usd: 5 }];
    const { quotes } = await useQuotes(json(200, { capabilities: rates }));
    await quotes.start();
    const quote = quotes.ofSession('voice_swap', 90);
    expect(quote).toMatchObject({ price: 90_000, hold: 90_000 });
    expect(JSON.parse(quote.snapshot)).toMatchObject({ source: 'card', units: 90, margin: 1 });
  });

  test('are the time at the operator’s rate if the card has none', async () => {
    const prices = { voice_swap: { rate: micros(60_000), per: 'minute' } } as const;
    const { quotes } = await useQuotes(BROKEN, { prices });
    await quotes.start();
    const quote = quotes.ofSession('voice_swap', 600);
    expect(quote.hold).toBe(600_000);
    expect(JSON.parse(quote.snapshot)).toMatchObject({ source: 'configured', units: 600, jobs: null });
  });

  test('are small if no source has a rate, because the service states one before anything is paid', async () => {
    const { quotes } = await useQuotes(BROKEN);
    await quotes.start();
    const quote = quotes.ofSession('live_swap_pro', 600);
    expect(quote.hold).toBe(10_000);
    expect(JSON.parse(quote.snapshot)).toMatchObject({ source: 'fallback', rate: null });
  });
});
