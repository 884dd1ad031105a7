import { readWav } from '../../../../src/audio/wav.ts';
import { type FuzzTarget, demand } from '../target.ts';
import { Hand } from '../grammar/hand.ts';
import { wavFile } from './wav.ts';

/** The samples of WAV files, as the reader of `src/audio` finds them. */
export const wavReaders: FuzzTarget = {
  name: 'wav-readers',
  generate: (random) => wavFile(new Hand(random, { liePercent: 8 }), random.happens(80)),
  run(input) {
    const sound = read(() => readWav(input));
    demand(sound === undefined || sound.pcm.length * 2 <= input.length, 'there are more samples than bytes');
    return sound ? 'accepted' : 'refused';
  },
};

/** Returns `undefined` if the file is refused. Any other error is a fault of the program and is thrown. */
function read<T>(reading: () => T): T | undefined {
  try {
    return reading();
  } catch (error) {
    if (error instanceof RangeError && error.message.startsWith('Cannot read the sound')) return undefined;
    throw error;
  }
}
