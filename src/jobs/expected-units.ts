import { unreachable } from '../base/errors.ts';
import type { ExpectedUnits } from '../media-api/estimate.ts';
import type { Capability } from '../media-api/wire.ts';
import type { JobParameters } from './ports.ts';

/** What is known of an input before the job runs: seconds of a clip or sound, characters of a text. */
export interface InputSize {
  readonly seconds?: number;
  readonly characters?: number;
}

/** Calm speech: 130 words a minute of five and a half characters each, blanks included. */
const CHARACTERS_PER_SECOND = 12;

/**
 * The units of output that a job will probably produce; the API bills what comes out, so this is "about". Pictures
 * are one. Swapped and transferred motion lasts as long as the clip it follows; Lip Sync as long as the longer of
 * clip and sound, because the API does not say which one decides; Avatar as long as its script is spoken. The
 * resolution does not change the units (and an omitted one is the documented `1k`).
 *
 * `inputs` by body field; what is not known yet counts as `secondsDefault`.
 */
export function expectedUnits(
  capability: Capability,
  inputs: ReadonlyMap<string, InputSize>,
  parameters: JobParameters,
  secondsDefault: number,
): ExpectedUnits {
  if (capability === 'photo_swap') return { units: 1, isKnown: true };
  const lengths = secondsThatCount(capability, inputs, parameters);
  return {
    units: Math.max(...lengths.map((seconds) => seconds ?? secondsDefault)),
    isKnown: !lengths.includes(undefined),
  };
}

function secondsThatCount(
  capability: Exclude<Capability, 'photo_swap'>,
  inputs: ReadonlyMap<string, InputSize>,
  parameters: JobParameters,
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
    case 'avatar':
      return [spokenSeconds(inputs.get('script')?.characters, parameters['script'])];
    default:
      return unreachable(capability);
  }
}

function spokenSeconds(
  characters: number | undefined,
  script: JobParameters[string] | undefined,
): number | undefined {
  const length = typeof script === 'string' ? script.length : characters;
  return length === undefined ? undefined : length / CHARACTERS_PER_SECOND;
}
