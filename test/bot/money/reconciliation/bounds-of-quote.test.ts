import { expect, test } from 'vitest';
import { boundsOfQuote } from '../../../../src/bot/money/reconciliation/bounds-of-quote.ts';

const ANY = Number.MAX_SAFE_INTEGER;
const QUOTE = { price: 100_000, hold: 125_000, isKnown: true, margin: 1.25, rate: { minimum: null } };

test.each([
  ['photo_swap', {}, 80_000, 125_000],
  ['photo_swap', { margin: 1 }, 80_000, 125_000],
  ['photo_swap', { margin: 2 }, 50_000, 200_000],
  ['video_swap', { hold: 500_000 }, 80_000, 500_000],
  // The cost is never less than the minimum, except that the minimum itself may have changed by up to a quarter.
  ['video_swap', { rate: { minimum: 90_000 } }, 80_000, 125_000],
  ['video_swap', { rate: { minimum: 120_000 } }, 96_000, 125_000],
  // If the length was only assumed, just the minimum is known.
  ['video_swap', { isKnown: false }, 1, ANY],
  ['video_swap', { isKnown: false, rate: { minimum: 50_000 } }, 40_000, ANY],
  // The output may be shorter than its inputs, and speech may take six times as long as estimated.
  ['lip_sync', {}, 1, 125_000],
  ['avatar', {}, 1, 600_000],
  ['avatar', { rate: { minimum: 50_000 }, hold: 700_000 }, 40_000, 700_000],
])('a %s with the quote %o costs from %i to %i', (capability, changes, least, most) => {
  expect(boundsOfQuote(JSON.stringify({ ...QUOTE, ...changes }), capability)).toEqual({ least, most });
});

test.each([
  '',
  '{}',
  JSON.stringify({ ...QUOTE, rate: null }),
  JSON.stringify({ ...QUOTE, margin: 0.9 }),
  JSON.stringify({ ...QUOTE, margin: 101 }),
  JSON.stringify({ ...QUOTE, price: -1 }),
  JSON.stringify({ ...QUOTE, hold: 0.5 }),
])('nothing is known about the cost of the quote %s', (snapshot) => {
  expect(boundsOfQuote(snapshot, 'photo_swap')).toBeUndefined();
});
