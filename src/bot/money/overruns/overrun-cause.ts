import { z } from 'zod';
import { readJson } from '../../../base/read-json.ts';

/** The cause of an overrun, as far as it can be derived from the quote. */
export type OverrunCause =
  /** The session lasted longer than the time for which the hold was computed. */
  | 'session'
  /** Speaking the script took longer than estimated. */
  | 'script'
  /** The result was longer than the files, or longer than was assumed before the files were measured. */
  | 'length'
  /** The billed units were known exactly, so the price must have changed. */
  | 'price'
  /** No price was known in advance. */
  | 'unpriced'
  | 'unknown';

const SESSIONS: ReadonlySet<string> = new Set(['voice_swap', 'live_swap_pro']);

/** The part of the snapshot from `src/bot/jobs/prices/quote-snapshot.ts` that is used here. */
const quote = z.object({
  source: z.string(),
  isKnown: z.boolean(),
  rate: z.object({ unit: z.string().nullable() }).nullable(),
});

/** Derives the cause from the stored snapshot of a hold's quote. A snapshot from an older version may lack the data. */
export function overrunCause(capability: string, snapshot: string): OverrunCause {
  if (SESSIONS.has(capability)) return 'session';
  const read = quote.safeParse(readJson(snapshot));
  if (!read.success) return 'unknown';
  const { source, isKnown, rate } = read.data;
  if (source === 'fallback') return 'unpriced';
  if (capability === 'photo_swap' || rate?.unit === 'image') return 'price';
  return capability === 'avatar' && isKnown ? 'script' : 'length';
}
