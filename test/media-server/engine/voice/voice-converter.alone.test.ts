import { describe, expect, test } from 'vitest';
import { SeededNoise } from '../../../../src/audio/seeded-noise.ts';
import { VoiceConverter } from '../../../../src/media-server/engine/voice/voice-converter.ts';
import type { PitchPlan, VoiceProfile } from '../../../../src/media-server/engine/voice/voice-profile.ts';
import { VOICES, voiceById } from '../../../../src/media-server/engine/voice/voices.ts';
import {
  harmonicity,
  longTermSpectrum,
  median,
  pitchContour,
  powerSpectrum,
  resample,
  shapeDifference,
} from '../../../audio/analysis.ts';
import { STEP, convert, readSpeech } from './use-voice.ts';

const RECORDINGS = ['speech-man-48k', 'speech-woman-16k'] as const;
/** The sample rate of the long run, which is the lowest rate possible. */
const RATE_HZ = 8000;
const FORMANTS = [700, 1220, 2600] as const;

function step(semitones: number, formantRatio: number = 1): VoiceProfile {
  const pitch: PitchPlan = { kind: 'step', semitones, intonation: 1 };
  return { ...STEP, pitch, formants: { ratio: formantRatio, followPitch: 0 } };
}

/** Creates a steady "a": a pulse for each period, through the resonances of a vocal tract. */
function vowel(pitchHz: number, sampleRateHz: number, seconds: number): Float32Array {
  const samples = new Float32Array(Math.round(seconds * sampleRateHz));
  for (let pulse = 0; pulse < seconds * pitchHz; pulse++) {
    const at = (pulse / pitchHz) * sampleRateHz;
    for (let n = Math.ceil(at); n < Math.min(samples.length, at + 0.04 * sampleRateHz); n++) {
      const time = (n - at) / sampleRateHz;
      const sound = FORMANTS.reduce(
        (sum, hz, index) => sum + Math.sin(2 * Math.PI * hz * time) * Math.exp(-time * 380) * 0.5 ** index,
        0,
      );
      samples[n] = (samples[n] ?? 0) + 0.25 * sound;
    }
  }
  return samples;
}

function loudest(samples: Float32Array): number {
  return samples.reduce((most, x) => Math.max(most, Math.abs(x)), 0);
}

/** Returns the centre of the energy between two frequencies, in Hz. */
function centre(samples: Float32Array, sampleRateHz: number, fromHz: number, toHz: number): number {
  const size = 8192;
  let [sum, weighted] = [0, 0];
  powerSpectrum(samples, 4000, size).forEach((power, bin) => {
    const hz = (bin * sampleRateHz) / size;
    if (hz < fromHz || hz > toHz) return;
    sum += power;
    weighted += power * hz;
  });
  return weighted / sum;
}

describe('a vowel', () => {
  test.each([
    [90, 48_000, 5],
    [90, 16_000, 12],
    [140, 44_100, -5],
    [220, 48_000, -9],
    [220, 8000, 7],
    [300, 24_000, 4],
  ])('of %i Hz at %i samples a second is shifted by %i semitones', (pitchHz, sampleRateHz, semitones) => {
    const sound = convert(step(semitones), vowel(pitchHz, sampleRateHz, 1), sampleRateHz);
    const wanted = pitchHz * 2 ** (semitones / 12);
    expect(Math.abs(median(pitchContour(sound, sampleRateHz)) / wanted - 1)).toBeLessThan(0.005);
  });

  test.each([0.85, 1.15, 1.3])('has its formants scaled by %f while its pitch stays', (ratio) => {
    const input = vowel(110, 16_000, 1.2);
    const output = convert(step(0, ratio), input, 16_000);
    expect(median(pitchContour(output, 16_000))).toBeCloseTo(110, 0);
    for (const hz of [960, 2600]) {
      // The two lower formants (mean 960 Hz) are measured together, because they overlap.
      const [low, high] = hz === 960 ? [400, 1700] : [2100, 3100];
      const before = centre(input, 16_000, low, high);
      const after = centre(output, 16_000, low * ratio, high * ratio);
      expect(Math.abs(after / before / ratio - 1)).toBeLessThan(0.04);
    }
  });

  test('keeps its formants while its pitch changes', () => {
    const input = vowel(110, 16_000, 1.2);
    for (const semitones of [-6, 6]) {
      const output = convert(step(semitones), input, 16_000);
      expect(
        Math.abs(centre(output, 16_000, 2100, 3100) / centre(input, 16_000, 2100, 3100) - 1),
      ).toBeLessThan(0.03);
    }
  });
});

describe.each(RECORDINGS)('%s', (name) => {
  test('has the requested pitch, and stays as harmonic with the same spectrum', async () => {
    const { samples, sampleRateHz } = await readSpeech(name);
    const before = {
      pitch: median(pitchContour(samples, sampleRateHz)),
      harmonicity: harmonicity(samples, sampleRateHz),
      spectrum: longTermSpectrum(samples, sampleRateHz),
    };
    for (const semitones of [-5, 5]) {
      const sound = convert(step(semitones), samples, sampleRateHz);
      const wanted = before.pitch * 2 ** (semitones / 12);
      expect(Math.abs(median(pitchContour(sound, sampleRateHz)) / wanted - 1)).toBeLessThan(0.02);
      expect(harmonicity(sound, sampleRateHz)).toBeGreaterThan(before.harmonicity - 2);
      expect(shapeDifference(longTermSpectrum(sound, sampleRateHz), before.spectrum)).toBeLessThan(1.6);
    }
  });

  test('equals the speech if nothing is changed', async () => {
    const { samples, sampleRateHz } = await readSpeech(name);
    const sound = convert(STEP, samples, sampleRateHz);
    let [error, energy] = [0, 0];
    samples.forEach((x, n) => {
      error += ((sound[n] ?? 0) - x) ** 2;
      energy += x * x;
    });
    expect(10 * Math.log10(energy / error)).toBeGreaterThan(25);
  });

  test('is in the register of a voice, for any speaker', async () => {
    const { samples, sampleRateHz } = await readSpeech(name);
    const outside: unknown[] = [];
    for (const { pitch, ...voice } of VOICES) {
      if (pitch.kind !== 'register' || (voice.breath ?? 0) > 0.3) continue;
      const heard = median(pitchContour(convert({ ...voice, pitch }, samples, sampleRateHz), sampleRateHz));
      if (Math.abs(12 * Math.log2(heard / pitch.targetHz)) > 1.7) outside.push([voice.id, heard]);
    }
    expect(outside).toEqual([]);
  });

  test('is neither clipped nor broken by any voice, even when it is far too loud', async () => {
    const { samples, sampleRateHz } = await readSpeech(name);
    const loud = samples.subarray(0, sampleRateHz).map((x) => Math.max(-1, Math.min(1, 10 * x)));
    const broken: unknown[] = [];
    for (const voice of VOICES) {
      const peak = loudest(convert(voice, loud, sampleRateHz));
      if (!(peak > 0.1 && peak <= 0.95)) broken.push([voice.id, peak]);
    }
    expect(broken).toEqual([]);
  });
});

test.each([8000, 11_025, 16_000, 22_050, 32_000, 44_100, 48_000])(
  'an impulse at %i samples a second is delayed by latencyFrames, at most 40 ms',
  (sampleRateHz) => {
    const converter = new VoiceConverter(STEP, { sampleRateHz });
    const samples = new Float32Array(sampleRateHz / 5);
    samples[777] = 0.5;
    converter.process(samples, samples);
    expect(samples.indexOf(0.5)).toBe(777 + converter.latencyFrames);
    expect(converter.latencyFrames / sampleRateHz).toBeLessThanOrEqual(0.04);
  },
);

test('the split of the speech into pieces changes no bit', async () => {
  const { samples, sampleRateHz } = await readSpeech('speech-woman-16k');
  const input = samples.subarray(0, 2 * sampleRateHz);
  const different: string[] = [];
  for (const voice of VOICES) {
    const whole = new Float32Array(input.length);
    new VoiceConverter(voice, { sampleRateHz }).process(input, whole);
    const pieces = Float32Array.from(input);
    const converter = new VoiceConverter(voice, { sampleRateHz });
    const noise = new SeededNoise(7);
    for (let at = 0; at < pieces.length;) {
      const piece = pieces.subarray(at, at + Math.floor(noise.next() * 700));
      converter.process(piece, piece);
      at += piece.length;
    }
    if (!Buffer.from(pieces.buffer).equals(Buffer.from(whole.buffer))) different.push(voice.id);
  }
  expect(different).toEqual([]);
});

test('silence stays silent, also after speech', async () => {
  const { samples, sampleRateHz } = await readSpeech('speech-woman-16k');
  const input = new Float32Array(5 * sampleRateHz);
  input.set(samples.subarray(0, sampleRateHz), sampleRateHz);
  for (const voice of VOICES) {
    const sound = convert(voice, input, sampleRateHz);
    const [before, after] = [sound.subarray(0, 0.98 * sampleRateHz), sound.subarray(4 * sampleRateHz)];
    expect(loudest(before)).toBe(0);
    expect(loudest(after)).toBeLessThan(1e-5);
  }
});

test('hiss is not shifted', () => {
  const noise = new SeededNoise(3);
  let last = 0;
  const input = Float32Array.from({ length: 32_000 }, () => {
    const next = noise.next() - 0.5;
    const hiss = 0.3 * (next - last);
    last = next;
    return hiss;
  });
  const output = convert(step(9, 1.3), input, 16_000);
  const error = input.subarray(0, 31_000).map((x, n) => x - (output[n] ?? 0));
  expect(loudest(error)).toBeLessThan(1e-6);
});

test('grains begin and end without a click', async () => {
  const { samples, sampleRateHz } = await readSpeech('speech-man-48k');
  for (const semitones of [-7, 7]) {
    const sound = convert(step(semitones), samples, sampleRateHz);
    // The recording contains nothing above 8 kHz, so any energy there comes from cuts between grains.
    let most = 0;
    for (let at = 0; at + 256 <= sound.length; at += 128) {
      const high = powerSpectrum(sound, at, 256).slice(Math.ceil((9500 / sampleRateHz) * 256));
      most = Math.max(
        most,
        high.reduce((sum, power) => sum + power, 0),
      );
    }
    expect(10 * Math.log10(most)).toBeLessThan(-45);
  }
});

test.each([8000, 44_100])('sounds at %i Hz that are not speech break no voice', (sampleRateHz) => {
  const noise = new SeededNoise(5);
  const time = Array.from({ length: sampleRateHz / 2 }, (_, n) => n / sampleRateHz);
  const sounds = {
    noise: time.map(() => 2 * noise.next() - 1),
    constant: time.map(() => 1),
    square: time.map((t) => Math.sign(Math.sin(2 * Math.PI * 47 * t))),
    sweep: time.map((t) => Math.sin(2 * Math.PI * 2000 * t * t)),
    bursts: time.map((t) => (t % 0.05 < 0.001 ? 1 : 0)),
  };
  const broken: unknown[] = [];
  for (const [name, sound] of Object.entries(sounds)) {
    for (const voice of VOICES) {
      const output = convert(voice, Float32Array.from(sound), sampleRateHz);
      if (!output.every((x) => Math.abs(x) <= 0.95)) broken.push([name, voice.id]);
    }
  }
  expect(broken).toEqual([]);
});

test('speech in noise keeps its melody', async () => {
  const { samples, sampleRateHz } = await readSpeech('speech-woman-16k');
  const noise = new SeededNoise(11);
  const noisy = samples.map((x) => x + 0.1 * (noise.next() - 0.5));
  const clean = median(pitchContour(samples, sampleRateHz));
  const heard = median(pitchContour(convert(step(5), noisy, sampleRateHz), sampleRateHz));
  expect(Math.abs(heard / clean / 2 ** (5 / 12) - 1)).toBeLessThan(0.03);
});

test('a whisper has no pitch', async () => {
  const { samples, sampleRateHz } = await readSpeech('speech-man-48k');
  const sound = convert(voiceById('whisper') ?? expect.unreachable(), samples, sampleRateHz);
  const contour = pitchContour(sound, sampleRateHz);
  expect(contour.filter((pitch) => pitch > 0).length / contour.length).toBeLessThan(0.03);
});

test('a robot has one constant pitch', async () => {
  const { samples, sampleRateHz } = await readSpeech('speech-woman-16k');
  const sound = convert(voiceById('robot') ?? expect.unreachable(), samples, sampleRateHz);
  const pitches = pitchContour(sound, sampleRateHz).filter((pitch) => pitch > 0);
  const off = pitches.filter((pitch) => Math.abs(pitch / 110 - 1) > 0.02);
  expect(off.length / pitches.length).toBeLessThan(0.12);
});

test('the voice follows when another speaker takes over', () => {
  const speech = new Float32Array(16_000 * 14);
  speech.set(vowel(105, 16_000, 2));
  speech.set(vowel(210, 16_000, 12), 16_000 * 2);
  const sound = convert({ ...STEP, pitch: { ...register(180) } }, speech, 16_000);
  const contour = pitchContour(sound, 16_000);
  expect(Math.abs(median(contour.slice(0, 200)) / 180 - 1)).toBeLessThan(0.02);
  expect(Math.abs(median(contour.slice(1250, 1380)) / 180 - 1)).toBeLessThan(0.1);
});

test('ten minutes cause neither drift nor growth', async () => {
  const speech = await readSpeech('speech-woman-16k');
  const samples = resample(speech.samples, speech.sampleRateHz, RATE_HZ);
  const converter = new VoiceConverter(step(4, 1.1), { sampleRateHz: RATE_HZ });
  const contours: number[][] = [];
  let memory = 0;
  for (let round = 0; round < 90; round++) {
    const sound = new Float32Array(samples.length);
    converter.process(samples, sound);
    if (round === 10) memory = process.memoryUsage().arrayBuffers;
    if (round === 1 || round === 89) contours.push(pitchContour(sound, RATE_HZ));
  }
  const [early = [], late = []] = contours;
  expect(Math.abs(median(late) / median(early) - 1)).toBeLessThan(0.003);
  const ends = [early, late].map((contour) => contour.findIndex((pitch) => pitch > 0));
  expect(Math.abs((ends[0] ?? 0) - (ends[1] ?? 99))).toBeLessThanOrEqual(1);
  expect(process.memoryUsage().arrayBuffers - memory).toBeLessThan(64 * 2 ** 20);
});

test.each([7999, 48_001, 16_000.5, Number.NaN])('%f samples a second are rejected', (sampleRateHz) => {
  expect(() => new VoiceConverter(STEP, { sampleRateHz })).toThrow(RangeError);
});

test('an output of another length is rejected', () => {
  const converter = new VoiceConverter(STEP, { sampleRateHz: 16_000 });
  expect(() => converter.process(new Float32Array(3), new Float32Array(4))).toThrow(RangeError);
});

function register(targetHz: number): PitchPlan {
  return { kind: 'register', targetHz, semitonesMin: -16, semitonesMax: 18, intonation: 1 };
}
