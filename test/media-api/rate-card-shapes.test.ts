import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type MicroUsd, micros } from '../../src/base/money.ts';
import { estimate } from '../../src/media-api/estimate.ts';
import { type CapabilityRate, rateOf, readRateCard } from '../../src/media-api/rate-card.ts';
import { CAPABILITIES, type Capability, SUBMIT_SEGMENT } from '../../src/media-api/wire.ts';

/** The content of a card, whatever its form. */
interface Meaning {
  readonly capability: Capability;
  readonly rate: MicroUsd;
  readonly unit: 'image' | 'second' | 'minute';
  readonly minimum: MicroUsd | null;
  readonly hold: MicroUsd | null;
}

type Fields = Readonly<Record<string, unknown>>;

const MARGIN = 1.25;
const cents = fc.integer({ min: 1, max: 500 }).map((value) => micros(value * 10_000));

const meaning: fc.Arbitrary<Meaning> = fc
  .record({
    capability: fc.constantFrom(...CAPABILITIES),
    rate: cents,
    isPerMinute: fc.boolean(),
    minimum: fc.option(cents),
    hold: fc.option(cents),
  })
  .map(({ isPerMinute, ...rest }) => ({
    ...rest,
    unit: rest.capability === 'photo_swap' ? 'image' : isPerMinute ? 'minute' : 'second',
  }));

/** Generates the same amount under different names and in different forms. */
function amounts(names: readonly string[], amount: MicroUsd): fc.Arbitrary<Fields> {
  const usd = amount / 1_000_000;
  const forms = (name: string): fc.Arbitrary<Fields> =>
    fc.constantFrom<Fields>(
      { [name]: usd },
      { [`${name}_usd`]: usd },
      { [name]: String(usd) },
      { [name]: `$${usd.toFixed(2)}` },
      { [name]: `${usd.toFixed(4)} USD` },
      { [`${name}_cents`]: amount / 10_000 },
      { [`${name}Micros`]: amount },
      { [name]: { amount: usd, currency: 'USD' } },
      { [name]: { value: usd.toFixed(6), currency_code: 'usd' } },
    );
  return fc.constantFrom(...names).chain(forms);
}

function rateFields({ rate, unit }: Meaning): fc.Arbitrary<Fields> {
  const usd = rate / 1_000_000;
  const beside = fc
    .tuple(
      amounts(['rate', 'price', 'cost', 'unit_price'], rate),
      fc.constantFrom('unit', 'per', 'billing_unit'),
    )
    .map(([fields, name]) => ({ ...fields, [name]: unit }));
  const named = fc.constantFrom<Fields>(
    { [`usd_per_${unit}`]: usd },
    { [`pricePer${unit[0]?.toUpperCase()}${unit.slice(1)}`]: usd },
    { [`USD/${unit}`]: usd },
    { rate: `$${usd}/${unit}` },
    { price: `${usd} per ${unit}` },
    { price: { [unit]: usd } },
    { prices: [{ type: 'rate', unit, amount: usd }] },
    { rate: usd, unit, list_price: usd * 3 },
  );
  return fc.oneof(beside, named);
}

function optional(names: readonly string[], amount: MicroUsd | null): fc.Arbitrary<Fields> {
  return amount === null ? fc.constant({}) : amounts(names, amount);
}

const NOISE: readonly Fields[] = [
  {},
  { enabled: true, notes: ['fast'], sla: null },
  { max_seconds: 600, limits: { requests_per_minute: 60, max_megapixels: 50 } },
  { discount_percent: 20, updated_at: '2026-01-01T00:00:00Z', tax_rate: 0.19 },
];

/** Generates the fields of one capability, in any order, with unrelated ones among them. */
function entryOf(meant: Meaning): fc.Arbitrary<Fields> {
  const parts = fc.tuple(
    rateFields(meant),
    optional(['minimum', 'min', 'minimum_charge', 'floor', 'minCharge'], meant.minimum),
    optional(['estimated_hold', 'hold', 'reserved', 'estimate', 'holdEstimate'], meant.hold),
    fc.constantFrom(...NOISE),
  );
  return parts.chain((all) =>
    fc.shuffledSubarray(all, { minLength: all.length }).map((mixed) => Object.assign({}, ...mixed) as Fields),
  );
}

/** Generates a card with the entry in one of several places and under one of several names. */
function cardOf({ capability }: Meaning, entry: Fields): fc.Arbitrary<unknown> {
  const segment = SUBMIT_SEGMENT[capability];
  const title = capability.split('_').map((word) => `${word[0]?.toUpperCase()}${word.slice(1)}`);
  const named = fc.constantFrom<Fields>(
    { feature: capability },
    { endpoint: segment },
    { name: title.join(' ') },
    { path: `POST /api/v1/${segment}` },
    { capability: title.join('') },
  );
  const list = named.map((name) => [
    { unrelated: 1 },
    { ...entry, ...name },
    { feature: 'teleport', rate: 9 },
  ]);
  const map = fc
    .constantFrom(capability, segment, title.join(' '), `/v1/${segment}`)
    .map((key) => ({ teleport: { rate: 9 }, [key]: entry }));
  return fc
    .oneof(list, map)
    .chain((body) =>
      fc.constantFrom<unknown>(
        body,
        { data: body },
        { version: 3, currency: 'USD', capabilities: body },
        { pricing: { jobs: body, sessions: [] } },
      ),
    );
}

const shaped = meaning.chain((meant) =>
  entryOf(meant)
    .chain((entry) => cardOf(meant, entry))
    .map((card) => ({ meant, card })),
);

test('the same prices are read from a card of every reasonable shape', () => {
  fc.assert(
    fc.property(shaped, ({ meant, card }) => {
      expect(rateOf(readRateCard(card, 0), meant.capability)).toEqual({
        rate: meant.rate,
        unit: meant.unit,
        minimum: meant.minimum,
        estimatedHold: meant.hold,
      });
    }),
    { numRuns: 2_000 },
  );
});

/** The known facts about a job: it may produce more units than expected, and its length may be an assumption. */
const expectedUnits = fc
  .record({
    units: fc.double({ min: 0, max: 3_600, noNaN: true }),
    more: fc.double({ min: 0, max: 600, noNaN: true }),
    isKnown: fc.boolean(),
  })
  .map(({ units, more, isKnown }) => ({ units, unitsMax: units + more, isKnown }));

test('a job costs at least the minimum, and at least its price is held for it', () => {
  fc.assert(
    fc.property(shaped, expectedUnits, ({ meant, card }, expected) => {
      const rate = rateOf(readRateCard(card, 0), meant.capability);
      const found = estimate(rate, meant.capability, expected, MARGIN);
      if (!found) {
        expect(meant.minimum ?? meant.hold).toBeNull();
        return;
      }
      expect(found.price).toBeGreaterThanOrEqual(meant.minimum ?? 1);
      expect(found.hold).toBeGreaterThanOrEqual(found.price);
    }),
    { numRuns: 2_000 },
  );
});

/** Rate cards as they are read, including useless ones: without a rate, free, or with tiny and large amounts. */
const rates: fc.Arbitrary<CapabilityRate> = fc.record({
  rate: fc.option(amount()),
  unit: fc.constantFrom('image', 'second', 'minute', null),
  minimum: fc.option(amount()),
  estimatedHold: fc.option(amount()),
});

function amount(): fc.Arbitrary<MicroUsd> {
  return fc
    .oneof(fc.constant(0), fc.integer({ min: 1, max: 100 }), fc.integer({ min: 1, max: 1e8 }))
    .map(micros);
}

test('the hold covers the quote, the most that is possible, and a margin if a length can be wrong', () => {
  fc.assert(
    fc.property(rates, fc.constantFrom(...CAPABILITIES), expectedUnits, (rate, capability, expected) => {
      const found = estimate(rate, capability, expected, MARGIN);
      const isFree = (rate.minimum ?? 0) === 0 && (rate.estimatedHold ?? 0) === 0;
      if (!found) {
        expect(isFree).toBe(true);
        return;
      }
      const { price, hold } = found;
      expect(price).toBeGreaterThan(0);
      expect(hold).toBeGreaterThanOrEqual(Math.max(price, rate.minimum ?? 0, rate.estimatedHold ?? 0));
      if (!expected.isKnown && rate.estimatedHold) return;
      const seconds = { second: 1, minute: 1 / 60, image: NaN };
      const perSecond = (rate.rate ?? 0) * seconds[rate.unit ?? 'second'];
      if (capability === 'photo_swap' || Number.isNaN(perSecond)) return;
      // Each amount is rounded to a whole micro-dollar, and units to a thousandth.
      const slack = 2 + perSecond * 0.002;
      expect(hold).toBeGreaterThanOrEqual(perSecond * expected.units * MARGIN - slack);
      expect(hold).toBeGreaterThanOrEqual(perSecond * expected.unitsMax - slack);
    }),
    { numRuns: 5_000 },
  );
});

test('for a picture exactly the service’s own estimate is held, because it has no length that could be wrong', () => {
  fc.assert(
    fc.property(amount(), amount(), (price, estimatedHold) => {
      fc.pre(estimatedHold > 0 && price > 0);
      const rate = { rate: price, unit: 'image', minimum: null, estimatedHold } as const;
      const found = estimate(rate, 'photo_swap', { units: 1, isKnown: true }, MARGIN);
      expect(found).toEqual({ price, hold: Math.max(price, estimatedHold) });
    }),
  );
});
