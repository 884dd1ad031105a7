import { readFile } from 'node:fs/promises';
import { beforeAll, describe, expect, test } from 'vitest';
import { readWav } from '../../../../src/audio/wav.ts';
import type { MouthTrack } from '../../../../src/media-server/engine/animate/mouth-shape.ts';
import { Flite, type FliteSpeaker } from '../../../../src/media-server/engine/speech/flite.ts';
import { MouthFromSound } from '../../../../src/media-server/engine/speech/mouth-from-sound.ts';
import { mouthFromPhones } from '../../../../src/media-server/engine/speech/mouth-from-phones.ts';
import { correlation } from '../correlation.ts';
import { sample } from '../use-engine.ts';
import { seededRandom } from '../seeded-random.ts';
import { spoil } from './spoil-recording.ts';

const SPEAKERS: readonly FliteSpeaker[] = ['slt', 'rms', 'awb', 'kal16'];
/** None of these sentences was used in training. */
const SAID = [
  'My grandmother Pamela baked five blueberry pies before breakfast on Monday.',
  'Nobody could believe how calmly the pilot brought the plane home through fog.',
];

let flite: Flite;
beforeAll(async () => {
  flite = await Flite.load();
});

function hear(samples: Float32Array, pieceLength: number = samples.length): MouthTrack {
  const mouth = new MouthFromSound();
  for (let at = 0; at < samples.length; at += pieceLength) mouth.push(samples.subarray(at, at + pieceLength));
  return mouth.finish();
}

function openings(track: MouthTrack, speed = 1): number[] {
  return Array.from({ length: 100 * 3 }, (_, n) => track.at((n / 100) * speed).open);
}

describe('the mouth shape that is computed from speech', () => {
  test('opens as its phones require, and closes for most of its m, b and p, in every voice', () => {
    let [closed, bilabials] = [0, 0];
    for (const speaker of SPEAKERS) {
      for (const text of SAID) {
        const { samples, phones } = flite.say(speaker, text);
        const heard = hear(samples);
        expect(correlation(openings(heard), openings(mouthFromPhones(phones)))).toBeGreaterThan(0.7);
        for (const { name, start, end } of phones) {
          if (!['m', 'b', 'p'].includes(name)) continue;
          bilabials++;
          const moments = Array.from({ length: 9 }, (_, n) => start - 0.02 + ((end - start + 0.04) * n) / 8);
          if (moments.some((moment) => heard.at(moment).press > 0.5)) closed++;
        }
      }
    }
    expect(bilabials).toBeGreaterThan(60);
    expect(closed / bilabials).toBeGreaterThan(0.7);
  });

  test('is nearly the same in a quiet, coloured and noisy recording', () => {
    const { samples, phones } = flite.say('rms', SAID[0] ?? '');
    const heard = hear(spoil(samples, 1.1, seededRandom(3)));
    expect(correlation(openings(heard), openings(mouthFromPhones(phones), 1.1))).toBeGreaterThan(0.6);
  });

  test('does not depend on how the recording was split into pieces', () => {
    const { samples } = flite.say('slt', 'Maybe.');
    const [whole, cut] = [hear(samples), hear(samples, 37)];
    expect(openings(cut)).toEqual(openings(whole));
    expect(cut.durationSeconds).toBe(whole.durationSeconds);
  });

  test.each(['speech-woman-16k.wav', 'speech-man-48k.wav'])('moves in %s', async (name) => {
    const { sampleRateHz, pcm } = readWav(await readFile(sample(name)));
    const step = sampleRateHz / 16_000;
    const samples = Float32Array.from({ length: Math.floor(pcm.length / step) }, (_, n) => {
      return (pcm[n * step] ?? 0) / 32_768;
    });
    const heard = openings(hear(samples));
    expect(Math.max(...heard)).toBeGreaterThan(0.35);
    expect(heard.filter((open) => open < 0.03).length).toBeGreaterThan(10);
  });
});

describe('without speech the mouth is at rest', () => {
  test.each([
    ['digital silence', () => 0],
    ['faint noise', () => 0.0005],
  ])('in %s', (_, level) => {
    const random = seededRandom(5);
    const track = hear(Float32Array.from({ length: 48_000 }, () => level() * (random() - 0.5)));
    for (const open of openings(track)) expect(open).toBeLessThan(0.03);
  });

  test('in the pause between two sentences, and after the last one', () => {
    const { samples } = flite.say('slt', 'Good day.');
    const pause = new Float32Array(16_000);
    const track = hear(Float32Array.from([...samples, ...pause, ...samples, ...pause]));
    const length = samples.length / 16_000;
    for (const moment of [length + 0.4, length + 0.7, 2 * length + 1.5]) {
      expect(track.at(moment)).toMatchObject({ press: 0, tuck: 0 });
      expect(track.at(moment).open).toBeLessThan(0.02);
    }
    expect(Math.max(...openings(track))).toBeGreaterThan(0.3);
  });
});
