import { z } from 'zod';
import { readJson } from '../../../base/read-json.ts';
import { type MicroUsd, maxMicros, micros, scaleMicros } from '../../../base/money.ts';

/** The lowest and the highest cost of a job, computed from the data of its quote. */
interface QuoteBounds {
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

/**
 * The factor by which the charge may differ from the quote: rates change between quote and submission, and programs
 * measure lengths differently.
 */
const OFF_BY = 1.25;
/**
 * The same factor for speech. Speaking digits and symbols takes up to 5.6 times as long as their number of characters
 * suggests.
 */
const SPEECH_OFF_BY = 6;
/**
 * Capabilities whose output may be shorter than the length on which the price was based, because the API does not say
 * which input determines the length.
 */
const MAY_BE_SHORTER: readonly string[] = ['lip_sync', 'avatar'];
const UNBOUNDED = micros(Number.MAX_SAFE_INTEGER);
const ABOVE_ZERO = micros(1);

/**
 * Returns the bounds of the service's charge for a job that succeeded. Returns `undefined` if the snapshot contains no
 * rate, because it comes from the fallback price or from an older version. The charge then has no bounds.
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
