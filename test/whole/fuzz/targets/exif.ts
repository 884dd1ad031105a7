import { readOrientation, writeOrientation } from '../../../../src/bot/media/pictures/exif.ts';
import { tiff } from '../grammar/exif.ts';
import { Hand } from '../grammar/hand.ts';
import { type FuzzTarget, demand } from '../target.ts';

/** The orientation in EXIF data whose other content is arbitrary. */
export const exif: FuzzTarget = {
  name: 'exif',
  generate: (random) => tiff(new Hand(random), 'exif'),
  run(input) {
    const orientation = readOrientation(input);
    demand(
      Number.isInteger(orientation) && orientation >= 1 && orientation <= 8,
      'an orientation that does not exist',
    );
    demand(
      readOrientation(writeOrientation(orientation)) === orientation,
      'an orientation that another reader reads differently',
    );
    return orientation === 1 ? 'refused' : 'accepted';
  },
};
