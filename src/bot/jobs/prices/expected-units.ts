import { unreachable } from '../../../base/errors.ts';
import type { ExpectedUnits } from '../../../media-api/estimate.ts';
import type { Capability } from '../../../media-api/wire.ts';
import { type SpokenLength, spokenLength } from './spoken-length.ts';
import type { JobParameters } from '../job-request.ts';

/**
 * The length of an input, as far as it is known before the job runs: the length of a clip or sound in seconds, or the
 * time needed to speak a text.
 */
export interface InputSize {
  readonly seconds?: number;
  readonly spoken?: SpokenLength;
}

/** The job data that is known before the job runs. */
interface KnownJob {
  /** The lengths of the inputs, by body field. */
  readonly inputs: ReadonlyMap<string, InputSize>;
  readonly parameters: JobParameters;
  /** The length that is assumed for an input of unknown length, in seconds. */
  readonly secondsDefault: number;
}

/**
 * Estimates a job's output units. The API bills the actual output. A picture is one unit. The output of a swap or a
 * motion transfer is as long as the clip that it follows. Lip Sync output is as long as the clip or the sound,
 * whichever is longer, because the API does not specify which one determines the length. Avatar output is as long as
 * the spoken script, which is estimated with an upper bound. The resolution does not change the units; the API's
 * default resolution is `1k`.
 */
export function expectedUnits(capability: Capability, job: KnownJob): ExpectedUnits {
  const { inputs, secondsDefault } = job;
  if (capability === 'photo_swap') return { units: 1, isKnown: true };
  if (capability === 'avatar') return spokenUnits(job);
  const lengths = secondsThatCount(capability, inputs);
  return {
    units: Math.max(...lengths.map((seconds) => seconds ?? secondsDefault)),
    isKnown: !lengths.includes(undefined),
  };
}

function secondsThatCount(
  capability: Exclude<Capability, 'photo_swap' | 'avatar'>,
  inputs: ReadonlyMap<string, InputSize>,
): readonly (number | undefined)[] {
  const secondsOf = (field: string): number | undefined => inputs.get(field)?.seconds;
  switch (capability) {
    case 'video_swap':
    case 'identity_swap':
      return [secondsOf('video_key')];
    case 'motion_transfer':
      return [secondsOf('motion_video_key')];
    case 'lip_sync':
      return [secondsOf('video_key'), secondsOf('audio_key')];
    default:
      return unreachable(capability);
  }
}

function spokenUnits({ inputs, parameters: { script }, secondsDefault }: KnownJob): ExpectedUnits {
  const spoken = typeof script === 'string' ? spokenLength(script) : inputs.get('script')?.spoken;
  if (!spoken) return { units: secondsDefault, isKnown: false };
  return { units: spoken.likely, unitsMax: spoken.most, isKnown: true };
}
