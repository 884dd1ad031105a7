import { z } from 'zod';
import { readJson } from '../base/json.ts';
import { type MicroUsd, maxMicros, micros, scaleMicros } from '../base/money.ts';

/** What a job can cost, by everything that its quote was computed from. */
export interface QuoteBounds {
  readonly least: MicroUsd;
  readonly most: MicroUsd;
}

const amount = z
  .int()
  .nonnegative()
  .transform((value) => micros(value));
const stored = z.object({
  price: amount,
  hold: amount,
  isKnown: z.boolean(),
  margin: z.number().min(1).max(100),
  rate: z.object({ minimum: amount.nullable() }).nullable(),
});

/** The rates may have moved by so much between the quote and the submit, and lengths are measured in different ways. */
const OFF_BY = 1.25;
/** Digits and symbols are spoken up to 5.6 times as long as their number of characters tells. */
const SPEECH_OFF_BY = 6;
/** Of which the output may be shorter than what the price was computed from: the service does not say what decides. */
const MAY_BE_SHORTER: readonly string[] = ['lip_sync', 'avatar'];
const UNBOUNDED = micros(Number.MAX_SAFE_INTEGER);
const ABOVE_ZERO = micros(1);

/**
 * Between which amounts the service's charge for a job that succeeded must lie. Undefined where the snapshot (of the
 * fallback price, or of an older program) tells no rate: then it may be anything.
 */
export function boundsOfQuote(snapshot: string, capability: string): QuoteBounds | undefined {
  const read = stored.safeParse(readJson(snapshot));
  if (!read.success || read.data.rate === null) return undefined;
  const { price, hold, isKnown, margin, rate } = read.data;
  const off = Math.max(OFF_BY, margin);
  const floor = maxMicros(ABOVE_ZERO, scaleMicros(rate.minimum ?? ABOVE_ZERO, 1 / off));
  const isShort = !isKnown || MAY_BE_SHORTER.includes(capability);
  const above = capability === 'avatar' ? SPEECH_OFF_BY : off;
  return {
    least: isShort ? floor : maxMicros(floor, scaleMicros(price, 1 / off)),
    most: isKnown ? maxMicros(hold, scaleMicros(price, above)) : UNBOUNDED,
  };
}
