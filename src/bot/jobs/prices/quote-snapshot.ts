import { z } from 'zod';
import { readJson } from '../../../base/read-json.ts';
import type { CapabilityRate } from '../../../media-api/rate-card.ts';
import type { Estimate, ExpectedUnits } from '../../../media-api/estimate.ts';

/** Where a price comes from, the most trusted first. */
export type QuoteSource = 'card' | 'configured' | 'learned' | 'fallback';

/** Everything that a quote was computed from; kept with the hold, so that a later difference can be explained. */
export interface QuoteSnapshot extends Estimate, ExpectedUnits {
  readonly source: QuoteSource;
  /** The prices used, per unit; null of the fallback. */
  readonly rate: CapabilityRate | null;
  /** What a price without an estimate of the service's own was multiplied by for the hold. */
  readonly margin: number;
  /** Of a rate card: its version, and when it was read (epoch milliseconds). */
  readonly version: string | null;
  readonly readAtMs: number | null;
  /** Of learned prices: from how many jobs. */
  readonly jobs: number | null;
}

const stored = z.object({ units: z.number().positive().finite(), isKnown: z.boolean() });

/** How much a job was expected to produce; undefined where the snapshot (of an older program, say) does not tell. */
export function unitsOf(snapshot: string): number | undefined {
  const read = stored.safeParse(readJson(snapshot));
  return read.success && read.data.isKnown ? read.data.units : undefined;
}
