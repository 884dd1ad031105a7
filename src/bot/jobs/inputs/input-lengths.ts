import type { JobInputRow } from '../../../../db/schema/job-inputs.ts';
import type { ExpectedUnits } from '../../../media-api/estimate.ts';
import type { Capability } from '../../../media-api/wire.ts';
import type { InputLength } from '../cards.ts';

/**
 * Returns the lengths on which a price is based: the lengths of clips and sounds, or the length of a script when
 * spoken.
 */
export function inputLengths(
  capability: Capability,
  inputs: readonly JobInputRow[],
  { units, isKnown }: ExpectedUnits,
): readonly InputLength[] {
  if (capability === 'avatar') return isKnown ? [{ of: 'speech', durationMs: Math.round(units * 1000) }] : [];
  return inputs.flatMap(({ option_name: of, duration_ms: durationMs }) =>
    durationMs === null ? [] : [{ of, durationMs }],
  );
}
