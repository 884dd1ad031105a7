import { readWav } from '../../../../src/audio/wav.ts';
import { readWav as readSandboxWav } from '../../../../src/sandbox/voice/wav.ts';
import { type FuzzTarget, demand } from '../target.ts';
import { Hand } from '../grammar/hand.ts';
import { wavFile } from './wav.ts';

/** The samples of WAV files, as the bot's and the sandbox's own readers find them. */
export const wavReaders: FuzzTarget = {
  name: 'wav-readers',
  generate: (random) => wavFile(new Hand(random, { liePercent: 8 }), random.happens(80)),
  run(input) {
    const own = read(() => readWav(input), RangeError);
    demand(own === undefined || own.pcm.length * 2 <= input.length, 'there are more samples than bytes');
    const sandbox = read(() => readSandboxWav(input), Error);
    demand(
      sandbox === undefined || sandbox.samples.length * 2 <= input.length,
      'there are more samples than bytes',
    );
    return own || sandbox ? 'accepted' : 'refused';
  },
};

/** Undefined for a refusal, by its words: a fault of the program is not one. */
function read<T>(reading: () => T, kind: typeof Error): T | undefined {
  try {
    return reading();
  } catch (error) {
    if (error instanceof kind && error.message.startsWith('Cannot read the sound')) return undefined;
    throw error;
  }
}
