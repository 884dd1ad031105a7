import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { micros, parseUsd } from '../../src/base/money.ts';
import { type Estimate, estimate } from '../../src/media-api/estimate.ts';
import { type CapabilityRate, type RateCard, rateOf, readRateCard } from '../../src/media-api/rate-card.ts';
import type { PricedCapability, WireRateCard } from '../../src/media-api/wire.ts';
import { json, useClient, useStubApi } from './use-stub-api.ts';

const MARGIN = 1.25;

/** A rate card in the format of the embedded media server. */
const OWN: WireRateCard = {
  version: 7,
  currency: 'USD',
  capabilities: [
    {
      endpoint: 'face-swap-image',
      feature: 'photo_swap',
      unit: 'image',
      rate_usd: 0.05,
      minimum_usd: 0.05,
      estimated_hold_usd: 0.06,
    },
    {
      endpoint: 'face-swap',
      feature: 'video_swap',
      unit: 'second',
      rate_usd: 0.02,
      minimum_usd: 0.1,
      estimated_hold_usd: 0.6,
    },
    {
      endpoint: 'voice/session',
      feature: 'voice_swap',
      unit: 'minute',
      rate_usd: 0.6,
      minimum_usd: 0,
      estimated_hold_usd: 6,
    },
  ],
};

function estimateOf(
  card: RateCard,
  capability: PricedCapability,
  units: number,
  isKnown = true,
): Estimate | null {
  return estimate(rateOf(card, capability), capability, { units, isKnown }, MARGIN);
}

function rates(json: unknown): Readonly<Partial<Record<string, CapabilityRate>>> {
  return readRateCard(json, 0).rates;
}

test('all of the embedded server’s card is read', () => {
  const card = readRateCard(OWN, 123);
  expect(card).toMatchObject({ version: '7', readAtMs: 123 });
  expect(card.rates.photo_swap).toEqual({
    rate: 50_000,
    unit: 'image',
    minimum: 50_000,
    estimatedHold: 60_000,
  });
  expect(card.rates.video_swap).toEqual({
    rate: 20_000,
    unit: 'second',
    minimum: 100_000,
    estimatedHold: 600_000,
  });
  expect(card.rates.voice_swap).toMatchObject({ rate: 600_000, unit: 'minute' });
});

describe('the rate of a video swap is read from', () => {
  test.each<readonly [string, unknown, Partial<CapabilityRate>]>([
    [
      'a map by feature',
      { video_swap: { rate: 0.02, unit: 'second' } },
      { rate: parseUsd('0.02'), unit: 'second' },
    ],
    ['a map of plain numbers', { rates: { video_swap: 0.02 } }, { rate: parseUsd('0.02'), unit: null }],
    ['a list by path', [{ path: '/v1/face-swap', price: 0.02 }], { rate: parseUsd('0.02') }],
    [
      'a list by method and path',
      [{ endpoint: 'POST /api/v1/face-swap', cost: 0.02 }],
      { rate: parseUsd('0.02') },
    ],
    [
      'a list by name',
      { data: [{ name: 'Video Swap', usd_per_second: 0.02 }] },
      { rate: parseUsd('0.02'), unit: 'second' },
    ],
    [
      'camel case',
      { pricing: { videoSwap: { pricePerSecond: 0.02, minimumCharge: 0.1 } } },
      { rate: parseUsd('0.02'), minimum: parseUsd('0.1'), unit: 'second' },
    ],
    [
      'text',
      { video_swap: { rate_usd: '$0.0200', min_usd: '0.10' } },
      { rate: parseUsd('0.02'), minimum: parseUsd('0.1') },
    ],
    [
      'nested amounts',
      { video_swap: { rate: { amount: '0.02', currency: 'USD', unit: 'per second' } } },
      { rate: parseUsd('0.02'), unit: 'second' },
    ],
    ['cents', { video_swap: { rate_cents: 2, per: 'second' } }, { rate: parseUsd('0.02'), unit: 'second' }],
    ['micro-dollars', { video_swap: { rate_micros: 20_000 } }, { rate: parseUsd('0.02') }],
    [
      'per minute',
      { video_swap: { usd_per_min: 1.2, floor: 0.1 } },
      { rate: parseUsd('1.2'), unit: 'minute', minimum: parseUsd('0.1') },
    ],
    [
      'a list with its own price',
      { video_swap: { list_price: 0.04, price: 0.02 } },
      { rate: parseUsd('0.02') },
    ],
    [
      'a hold with another name',
      { video_swap: { rate: 0.02, reserved_usd: 0.5 } },
      { estimatedHold: parseUsd('0.5') },
    ],
    [
      'among limits',
      { video_swap: { rate: 0.02, max_seconds: 60, minimum_seconds: 5, discount_percent: 10 } },
      { rate: parseUsd('0.02'), minimum: null },
    ],
  ])('%s', (_name, card, expected) => {
    expect(rates(card)['video_swap']).toMatchObject(expected);
  });
});

test.each([
  ['nothing', undefined],
  ['null', null],
  ['text', 'ask us'],
  ['an empty object', {}],
  ['other capabilities', { teleport: { rate: 1 } }],
  ['a price in words', { photo_swap: { rate: 'cheap' } }],
  ['a negative price', { photo_swap: { rate: -1 } }],
  ['another currency', { currency: 'EUR', photo_swap: { rate: 1 } }],
  ['another currency in a nested field', { data: { currency_code: 'JPY', photo_swap: { rate: 1 } } }],
  ['another currency in its own field', { photo_swap: { rate: { amount: 1, currency: 'GBP' } } }],
  ['another currency by name', { photo_swap: { rate_eur: 1 } }],
  ['another currency in the text', { photo_swap: { rate: '€0.04' } }],
])('a card with %s has no rate', (_name, card) => {
  expect(rates(card)).toEqual({});
  expect(estimateOf(readRateCard(card, 0), 'photo_swap', 1)).toBeNull();
});

test('names that start alike are not confused', () => {
  const card = rates({ 'face-swap-image': 0.05, 'face-swap': 0.02 });
  expect([card['photo_swap']?.rate, card['video_swap']?.rate]).toEqual([50_000, 20_000]);
});

test('reading any card ends, without an estimate of 0', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.double({ min: 0, max: 1e5, noNaN: true }), (value, units) => {
      const named = { ...OWN, capabilities: [{ feature: 'photo_swap', rate: value, more: value }] };
      for (const card of [readRateCard(value, 0), readRateCard(named, 0)]) {
        const found = estimateOf(card, 'photo_swap', units);
        if (found) expect(Math.min(found.hold, found.price)).toBeGreaterThan(0);
      }
    }),
    { numRuns: 1_000 },
  );
});

describe('the expected cost of a job and its hold', () => {
  const withRate = (rate: unknown): RateCard => readRateCard({ avatar: rate }, 0);
  test.each<readonly [string, unknown, number, Estimate | null]>([
    [
      'the service’s own estimate is held, if present',
      { rate: 0.02, per: 'second', estimated_hold: 0.9 },
      10,
      { price: micros(200_000), hold: micros(900_000) },
    ],
    [
      'but never less than the price of a known length, with a margin',
      { rate: 0.02, per: 'second', estimated_hold: 0.9 },
      100,
      { price: micros(2_000_000), hold: micros(2_500_000) },
    ],
    [
      'an estimate alone is also the price',
      { estimated_hold: 0.9 },
      10,
      { price: micros(900_000), hold: micros(900_000) },
    ],
    [
      'rate x units, with a margin',
      { rate: 0.02, per: 'second' },
      10,
      { price: micros(200_000), hold: micros(250_000) },
    ],
    [
      'at least the minimum',
      { rate: 0.02, per: 'second', minimum: 0.5 },
      1,
      { price: micros(500_000), hold: micros(625_000) },
    ],
    [
      'a price per minute is converted to seconds',
      { usd_per_minute: 0.6 },
      7,
      { price: micros(70_000), hold: micros(87_500) },
    ],
    [
      'a price per job ignores seconds',
      { price_per_job: 0.3 },
      500,
      { price: micros(300_000), hold: micros(375_000) },
    ],
    ['without estimate, rate and minimum nothing is known', { rate: 0, estimated_hold: 0 }, 10, null],
  ])('%s', (_name, rate, units, expected) => {
    expect(estimateOf(withRate(rate), 'avatar', units)).toEqual(expected);
  });

  test('while a length is only assumed, the service’s own estimate is the price and the hold', () => {
    const card = withRate({ rate: 0.02, per: 'second', estimated_hold: 0.4 });
    expect(estimateOf(card, 'avatar', 30, false)).toEqual({ price: 400_000, hold: 400_000 });
  });

  test('the maximum cost of a job is held, not only the likely price', () => {
    const rate = { rate: micros(20_000), unit: 'second', minimum: null } as const;
    const expected = { units: 10, unitsMax: 30, isKnown: true };
    for (const estimatedHold of [null, micros(100_000)]) {
      expect(estimate({ ...rate, estimatedHold }, 'avatar', expected, MARGIN)).toEqual({
        price: 200_000,
        hold: 600_000,
      });
    }
  });

  test('a margin below 1 is an error', () => {
    const expected = { units: 1, isKnown: true };
    expect(() => estimate(undefined, 'avatar', expected, 0.5)).toThrow(RangeError);
  });
});

test('the card is requested with the key, so that it contains negotiated prices', async () => {
  const stub = await useStubApi(json(200, OWN));
  await useClient(stub).pricing.get();
  expect(stub.received.map(({ url, headers }) => [url, headers.authorization])).toEqual([
    ['/api/v1/pricing', 'Bearer key-of-the-test'],
  ]);
});
