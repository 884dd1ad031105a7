import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { alignEnvelopes, energyEnvelope } from '../../src/audio/energy-envelope.ts';
import { readWav } from '../../src/audio/wav.ts';

const BOUNDS = { partMs: 2_000, fromMs: 0, toMs: 600 };

async function speech(): Promise<Int16Array> {
  return readWav(await readFile(new URL('../samples/speech-man-48k.wav', import.meta.url))).pcm;
}

/** Returns the sound delayed by `ms` and at half its level. */
function later(pcm: Int16Array, ms: number): Int16Array {
  const sound = new Int16Array(pcm.length + 48 * ms);
  sound.set(
    pcm.map((sample) => sample / 2),
    48 * ms,
  );
  return sound;
}

test('recognises the same words when they are later and softer, and measures the delay', async () => {
  const said = await speech();
  const heard = later(said, 135);
  const { likeness, laterMs } = alignEnvelopes(
    energyEnvelope(said, 48_000),
    energyEnvelope(heard, 48_000),
    BOUNDS,
  );
  expect(laterMs).toBe(135);
  expect(likeness).toBeCloseTo(1, 3);
});

test('finds no similarity to other words or to silence', async () => {
  const said = await speech();
  const backwards = said.toReversed();
  const envelope = energyEnvelope(said, 48_000);
  expect(alignEnvelopes(envelope, energyEnvelope(backwards, 48_000), BOUNDS).likeness).toBeLessThan(0.7);
  expect(alignEnvelopes(envelope, energyEnvelope(new Int16Array(said.length), 48_000), BOUNDS).likeness).toBe(
    0,
  );
});
