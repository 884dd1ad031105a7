import { createHash } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import type { RenderError } from '../../../../src/media-server/engine/render-error.ts';
import { Speaker, type Speech } from '../../../../src/media-server/engine/speech/speaker.ts';
import { VOICES } from '../../../../src/media-server/engine/voice/voices.ts';
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

  test('sounds different in each listed voice, and says the same words', async () => {
    const said = 'Two dogs ran home.';
    const sounds = new Set<string>();
    for (const { id } of VOICES) {
      const { samples, phones } = await speaker.speak(said, { voiceId: id }, noAbort());
      sounds.add(createHash('sha256').update(samples).digest('hex'));
      const names = phones.map(({ name }) => name).filter((name) => name !== 'pau');
      expect(names.slice(0, 2)).toEqual(['t', 'uw']);
    }
    expect(sounds.size).toBe(VOICES.length);
  });

  test('stays in time with its phones in a converted voice: loud in vowels, silent in pauses', async () => {
    const { samples, phones, sampleRateHz } = await speaker.speak(SENTENCE, { voiceId: 'child' }, noAbort());
    const level = (isWanted: (name: string) => boolean): number => {
      const parts = phones
        .filter(({ name, start, end }) => isWanted(name) && end - start > 0.04)
        .map(({ start, end }) =>
          samples.subarray((start + 0.01) * sampleRateHz, (end - 0.01) * sampleRateHz),
        );
      const energy = parts.reduce(
        (sum, part) => sum + part.reduce((all, value) => all + value * value, 0),
        0,
      );
      return 10 * Math.log10(energy / parts.reduce((sum, part) => sum + part.length, 0));
    };
    expect(level((name) => /^[aeiou]/.test(name))).toBeGreaterThan(-20);
    expect(level((name) => name === 'pau')).toBeLessThan(-50);
  });

  test('parts the lips in every vowel, however short and whatever its neighbours', async () => {
    const said = 'Happy people keep warm milk by the fire.';
    for (const { phones, mouth } of [speech, await speaker.speak(said, {}, noAbort())]) {
      const widest = phones
        .filter(({ name }) => /^[aeiou]/.test(name))
        .map(({ start, end }) => {
          const moments = Array.from({ length: 9 }, (_, n) => start + ((end - start) * n) / 8);
          return Math.max(...moments.map((moment) => mouth.at(moment).open));
        });
      expect(widest.length).toBeGreaterThanOrEqual(9);
      expect(Math.min(...widest)).toBeGreaterThan(0.2);
      expect(Math.max(...widest)).toBeLessThan(0.85);
    }
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

describe('a hostile script', () => {
  test.each([
    ['an option', '-voice /etc/passwd -o /tmp/x'],
    ['mark-up', '<speak>Hello <break time="9999s"/> there</speak>'],
    ['control characters', 'Hel\u0000lo\u001b[2J wor\u0007ld\u202e'],
    ['an endless word', 'a'.repeat(300)],
    ['an endless number', '9'.repeat(60)],
    ['lone surrogates', '\ud83d hello \udc00'],
  ])('with %s is read as text', async (_, script) => {
    const { samples, phones } = await speaker.speak(script, {}, noAbort());
    expect(phones.some(({ name }) => name !== 'pau')).toBe(true);
    expect(samples.every((value) => Math.abs(value) < 0.9)).toBe(true);
  });

  test('that would take hours is refused', async () => {
    const refusal: Partial<RenderError> = { name: 'RenderError', code: 'input_too_large' };
    const limit = { secondsMax: 20 };
    await expect(
      Speaker.load(limit).then((one) => one.speak('7'.repeat(150), {}, noAbort())),
    ).rejects.toMatchObject(refusal);
  });

  test('is given up when aborted', async () => {
    const reason = new Error('Enough');
    await expect(speaker.speak(SENTENCE, {}, AbortSignal.abort(reason))).rejects.toBe(reason);
  });
});

describe('a script with nothing to say', () => {
  test.each(['😀😀', 'Привет, мир', '... !? ---', '\u0000\u0007'])('%j is refused', async (script) => {
    const refusal: Partial<RenderError> = { name: 'RenderError', code: 'processing_failed' };
    await expect(speaker.speak(script, {}, noAbort())).rejects.toMatchObject(refusal);
  });
});
