import { readFile } from 'node:fs/promises';
import { readWav } from '../../../src/audio/wav.ts';

/** The format of all speech in the benchmark: mono, 20 ms per frame. */
export const VOICE = { rateHz: 48_000, frame: 960, frameMs: 20 } as const;

const SAMPLE = new URL('../../samples/speech-man-48k.wav', import.meta.url);
const PAUSE_SECONDS = 0.6;

/** Returns about this many seconds of speech with occasional pauses. */
export async function speechOf(seconds: number): Promise<Int16Array> {
  const { pcm } = readWav(await readFile(SAMPLE));
  const turn = pcm.length + PAUSE_SECONDS * VOICE.rateHz;
  const turns = Math.max(1, Math.round((seconds * VOICE.rateHz) / turn));
  const speech = new Int16Array(turns * turn);
  for (let index = 0; index < turns; index++) speech.set(pcm, index * turn);
  return speech;
}
