import { z } from 'zod';
import { readJson } from '../../../base/read-json.ts';
import type { CapabilityRate } from '../../../media-api/rate-card.ts';
import type { Estimate, ExpectedUnits } from '../../../media-api/estimate.ts';

/** The price sources, the most trusted first. */
export type QuoteSource = 'card' | 'configured' | 'learned' | 'fallback';

/**
 * The data from which a quote was computed. It is stored with the hold, so that a difference between the quote and the
 * charge can be explained later.
 */
export interface QuoteSnapshot extends Estimate, ExpectedUnits {
  readonly source: QuoteSource;
  /** The prices per unit; null for the fallback. */
  readonly rate: CapabilityRate | null;
  /** The hold divided by the price, unless the service gave its own estimate. */
  readonly margin: number;
  /** The version of the rate card, and when it was read (epoch milliseconds). Both are null for other sources. */
  readonly version: string | null;
  readonly readAtMs: number | null;
  /** The number of jobs from which a learned price comes; null for other sources. */
  readonly jobs: number | null;
}

const stored = z.object({ units: z.number().positive().finite(), isKnown: z.boolean() });

/**
 * Returns the units that a job was expected to produce; `undefined` if the snapshot has none, for example because an
 * older program version wrote it.
 */
export function unitsOf(snapshot: string): number | undefined {
  const read = stored.safeParse(readJson(snapshot));
  return read.success && read.data.isKnown ? read.data.units : undefined;
}
