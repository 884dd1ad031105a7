import { describe, expect, test } from 'vitest';
import { type InputSize, expectedUnits } from '../../../../src/bot/jobs/prices/expected-units.ts';
import { spokenLength } from '../../../../src/bot/jobs/prices/spoken-length.ts';
import type { Capability } from '../../../../src/media-api/wire.ts';
import type { JobParameters } from '../../../../src/bot/jobs/job-request.ts';

const DEFAULT = 30;

function units(
  capability: Capability,
  inputs: Record<string, InputSize> = {},
  parameters: JobParameters = {},
): number {
  const known = { inputs: new Map(Object.entries(inputs)), parameters, secondsDefault: DEFAULT };
  return expectedUnits(capability, known).units;
}

describe('what a job will probably produce', () => {
  test.each<[Capability, Record<string, InputSize>, number]>([
    ['photo_swap', {}, 1],
    ['video_swap', { video_key: { seconds: 12 } }, 12],
    ['identity_swap', { video_key: { seconds: 7.5 } }, 7.5],
    ['motion_transfer', { motion_video_key: { seconds: 4 } }, 4],
    ['lip_sync', { video_key: { seconds: 3 }, audio_key: { seconds: 9 } }, 9],
    ['lip_sync', { video_key: { seconds: 9 }, audio_key: { seconds: 3 } }, 9],
    ['avatar', { script: { spoken: { likely: 100, most: 180 } } }, 100],
  ])('%s of %o: %d', (capability, inputs, expected) => {
    expect(units(capability, inputs)).toBe(expected);
  });

  test.each<Capability>(['video_swap', 'identity_swap', 'motion_transfer', 'lip_sync', 'avatar'])(
    'is the configured length while no better one is known: %s',
    (capability) => expect(units(capability)).toBe(DEFAULT),
  );

  test('is at least the configured length for a sound beside a clip of unknown length', () => {
    expect(units('lip_sync', { audio_key: { seconds: 3 } })).toBe(DEFAULT);
  });

  test('goes by the script where the command holds it', () => {
    const script = 'Where the command holds the script, its words count, and 7 digits: 1234567.';
    const { likely, most } = spokenLength(script);

    const known = { inputs: new Map(), parameters: { script }, secondsDefault: DEFAULT };

    expect(expectedUnits('avatar', known)).toEqual({
      units: likely,
      unitsMax: most,
      isKnown: true,
    });
  });

  test('is the same without a resolution as with the documented default', () => {
    const inputs = { video_key: { seconds: 7 } };
    expect(units('identity_swap', inputs, { resolution: '1k' })).toBe(units('identity_swap', inputs));
  });
});
