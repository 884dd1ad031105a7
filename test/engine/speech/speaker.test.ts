import { beforeAll, describe, expect, test } from 'vitest';
import type { RenderError } from '../../../src/media-server/engine/render-error.ts';
import { Speaker, type Speech } from '../../../src/media-server/engine/speech/speaker.ts';
import { noAbort } from '../use-engine.ts';

const SENTENCE = 'Please bring the blue book, and five more maps.';

let speaker: Speaker;
let speech: Speech;

beforeAll(async () => {
  speaker = await Speaker.load();
  speech = await speaker.speak(SENTENCE, {}, noAbort());
});

describe('speech', () => {
  test('has phones from the first sample to the last, one after the other', () => {
    const ends = [0, ...speech.phones.map(({ end }) => end)];
    for (const [n, { start, end }] of speech.phones.entries()) {
      expect(start).toBeCloseTo(ends[n] ?? -1, 9);
      expect(end).toBeGreaterThan(start);
    }
    expect(ends.at(-1)).toBeCloseTo(speech.samples.length / speech.sampleRateHz, 3);
    expect(speech.mouth.durationSeconds).toBe(ends.at(-1));
  });

  test('is the same for the same script', async () => {
    const again = await speaker.speak(SENTENCE, {}, noAbort());
    expect(Buffer.from(again.samples.buffer).equals(Buffer.from(speech.samples.buffer))).toBe(true);
    expect(again.phones).toEqual(speech.phones);
  });

  test('is as loud as speech usually is, without clipping', async () => {
    const { samples } = speech;
    const peak = samples.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
    const rms = Math.sqrt(samples.reduce((sum, value) => sum + value * value, 0) / samples.length);
    expect(20 * Math.log10(peak)).toBeLessThan(-1);
    expect(Math.abs(20 * Math.log10(rms) + 20)).toBeLessThan(2);
  });

  test('closes the lips in the middle of every m, b and p', () => {
    const middles = speech.phones
      .filter(({ name }) => ['m', 'b', 'p'].includes(name))
      .map(({ start, end }) => (start + end) / 2);
    expect(middles.length).toBeGreaterThanOrEqual(6);
    for (const middle of middles) {
      expect(speech.mouth.at(middle).press).toBeGreaterThan(0.97);
      expect(speech.mouth.at(middle).open).toBeLessThan(0.02);
    }
  });
});

describe('a script with nothing to say', () => {
  test.each(['😀😀', 'Привет, мир', '... !? ---', '\u0000\u0007'])('%j is refused', async (script) => {
    const refusal: Partial<RenderError> = { name: 'RenderError', code: 'processing_failed' };
    await expect(speaker.speak(script, {}, noAbort())).rejects.toMatchObject(refusal);
  });
});
