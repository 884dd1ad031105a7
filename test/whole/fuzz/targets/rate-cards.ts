import { readJson } from '../../../../src/base/read-json.ts';
import { readRateCard } from '../../../../src/media-api/rate-card.ts';
import { PRICED_CAPABILITIES, ENDPOINT } from '../../../../src/media-api/wire.ts';
import { distort, jsonText } from '../grammar/json.ts';
import type { Random } from '../random.ts';
import { type FuzzTarget, demand } from '../target.ts';

const AMOUNT_MICROS_MAX = 1_000_000_000;
const NAMES = [
  'rate_usd',
  'price',
  'usd_per_second',
  'cost',
  'amount_cents',
  'minimum_usd',
  'estimated_hold_usd',
  'price_per_minute',
  'rates',
  'unit',
  'currency',
];

/** Rate cards of any shape, because the API document does not describe their shape. */
export const rateCards: FuzzTarget = {
  name: 'rate-cards',
  generate: (random) =>
    Buffer.from(jsonText(random, random.happens(50) ? distort(random, card(random), 8) : card(random))),
  run(input) {
    const { rates, version } = readRateCard(readJson(input.toString('utf8')), 0);
    demand(version === null || typeof version === 'string', 'a version is not text');
    for (const [name, rate] of Object.entries(rates)) {
      demand(
        PRICED_CAPABILITIES.some((capability) => capability === name),
        'a rate is for an unknown unit',
      );
      for (const amount of [rate.rate, rate.minimum, rate.estimatedHold]) {
        demand(
          amount === null || (Number.isSafeInteger(amount) && amount >= 0 && amount <= AMOUNT_MICROS_MAX),
          'an amount is impossible',
        );
      }
    }
    return Object.values(rates).some(({ rate }) => rate !== null) ? 'accepted' : 'refused';
  },
};

function card(random: Random): unknown {
  const entries = PRICED_CAPABILITIES.map(
    (capability) =>
      [
        random.pick([capability, ENDPOINT[capability], `/v1/${ENDPOINT[capability]}`]),
        prices(random),
      ] as const,
  );
  if (random.happens(40))
    return {
      version: random.pick([1, '2', null]),
      currency: 'USD',
      capabilities: entries.map(([name, price]) => ({ endpoint: name, ...price })),
    };
  if (random.happens(30)) return Object.fromEntries(entries);
  return { pricing: { [random.pick(['usd', 'list', 'eur', 'tiers'])]: Object.fromEntries(entries) } };
}

function prices(random: Random): Record<string, unknown> {
  return Object.fromEntries(
    Array.from({ length: random.int(1, 5) }, () => {
      const name = random.pick(NAMES);
      const amount = random.pick([
        0.05,
        1,
        '0.05',
        '$0.10 per second',
        '5 cents',
        1e-9,
        1e9,
        -1,
        { usd: 0.3, per: 'minute' },
        ['0.1', 'second'],
      ]);
      return [
        name,
        name === 'unit'
          ? random.pick(['second', 'image', 'minute', 'credits'])
          : name === 'currency'
            ? random.pick(['USD', 'EUR', '$'])
            : amount,
      ];
    }),
  );
}
