import { setImmediate } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { toFloat, toPcm } from '../../../../src/audio/pcm.ts';
import { readWav } from '../../../../src/audio/wav.ts';
import {
  CpuVoiceSwap,
  type CpuVoiceSwapOptions,
} from '../../../../src/media-server/engine/voice/cpu-voice-swap.ts';
import { VoiceConverter } from '../../../../src/media-server/engine/voice/voice-converter.ts';
import { DEFAULT_VOICE_ID, VOICES, voiceById } from '../../../../src/media-server/engine/voice/voices.ts';
import type { VoiceStream } from '../../../../src/media-server/engine/voice-swap-engine.ts';
import { longTermSpectrum, median, pitchContour, shapeDifference } from '../../../audio/analysis.ts';
import { noAbort } from '../use-engine.ts';
import { readSpeech } from './use-voice.ts';

const AT_48K = { voiceId: 'child', sampleRateHz: 48_000, chunkFrames: 960 };
const MORTAL = new URL('mortal-voice-worker.ts', import.meta.url);

async function useVoiceSwap(options: CpuVoiceSwapOptions = {}): Promise<CpuVoiceSwap> {
  const engine = await CpuVoiceSwap.start(options);
  onTestFinished(() => engine[Symbol.asyncDispose]());
  return engine;
}

async function openSoon(engine: CpuVoiceSwap): Promise<VoiceStream> {
  for (;;) {
    const stream = await engine.open(AT_48K).catch((error: unknown) => {
      expect(error).toMatchObject({ code: 'capacity_warming' });
    });
    if (stream) return stream;
    await setImmediate();
  }
}

test('overlapping calls are answered in order with the converted speech', async () => {
  const engine = await useVoiceSwap();
  await using stream = await engine.open(AT_48K);
  const { samples } = await readSpeech('speech-man-48k');
  const pcm = new Int16Array(48_000);
  toPcm(samples, pcm);
  const chunks = Array.from({ length: 50 }, (_, n) => pcm.subarray(n * 960, (n + 1) * 960));
  const answers = await Promise.all(chunks.map((chunk) => stream.convert(chunk)));
  const converter = new VoiceConverter(voiceById('child') ?? expect.unreachable(), AT_48K);
  const [input, expected] = [new Float32Array(48_000), new Int16Array(48_000)];
  toFloat(pcm, input);
  converter.process(input, input);
  toPcm(input, expected);
  expect(Int16Array.from(answers.flatMap((answer) => [...answer]))).toEqual(expected);
  expect(stream.latencyFrames).toBe(converter.latencyFrames);
});

test('an unknown voice is rejected', async () => {
  const engine = await useVoiceSwap();
  await expect(engine.open({ ...AT_48K, voiceId: 'nobody' })).rejects.toThrow(RangeError);
  await expect(engine.preview('nobody', noAbort())).rejects.toThrow(RangeError);
});

test('a sample rate that cannot be converted is rejected and takes no place', async () => {
  const engine = await useVoiceSwap({ streamsMax: 1 });
  await expect(engine.open({ ...AT_48K, sampleRateHz: 96_000 })).rejects.toThrow('96000');
  await using stream = await engine.open(AT_48K);
  expect(stream.latencyFrames).toBeGreaterThan(0);
});

test('places are limited, and disposing a stream, even twice, releases one', async () => {
  const engine = await useVoiceSwap({ streamsMax: 2 });
  const first = await engine.open(AT_48K);
  await using _second = await engine.open(AT_48K);
  await expect(engine.open(AT_48K)).rejects.toMatchObject({ code: 'capacity_unavailable' });
  await first[Symbol.asyncDispose]();
  await first[Symbol.asyncDispose]();
  await using _third = await engine.open(AT_48K);
  await expect(engine.open(AT_48K)).rejects.toMatchObject({ code: 'capacity_unavailable' });
  await expect(first.convert(new Int16Array(960))).rejects.toThrow('closed');
});

test('at most two seconds of speech wait', async () => {
  const engine = await useVoiceSwap();
  await using stream = await engine.open(AT_48K);
  const second = new Int16Array(48_000);
  const waiting = [stream.convert(second), stream.convert(second)];
  await expect(stream.convert(new Int16Array(1))).rejects.toThrow('waiting');
  await Promise.all(waiting);
  await expect(stream.convert(new Int16Array(1))).resolves.toHaveLength(1);
});

test('a thread that dies fails its streams, is replaced, and others get the error that the engine warms up', async () => {
  const engine = await useVoiceSwap({ workerUrl: MORTAL, streamsMax: 1 });
  const stream = await engine.open(AT_48K);
  const outcomes = Promise.allSettled([
    stream.convert(new Int16Array(13)),
    stream.convert(new Int16Array(5)),
  ]);
  for (const outcome of await outcomes) {
    expect(outcome).toMatchObject({
      status: 'rejected',
      reason: { message: expect.stringContaining('died') },
    });
  }
  await expect(stream.convert(new Int16Array(960))).rejects.toThrow('died');
  await stream[Symbol.asyncDispose]();
  await expect(engine.open(AT_48K)).rejects.toMatchObject({ code: 'capacity_warming' });
  await using next = await openSoon(engine);
  await expect(next.convert(new Int16Array(960))).resolves.toHaveLength(960);
});

test('a stopped engine fails its streams and has no place for others', async () => {
  const engine = await useVoiceSwap();
  const stream = await engine.open(AT_48K);
  const outcome = Promise.allSettled([stream.convert(new Int16Array(960))]);
  await engine[Symbol.asyncDispose]();
  expect(await outcome).toMatchObject([{ status: 'rejected' }]);
  await expect(engine.open(AT_48K)).rejects.toMatchObject({ code: 'capacity_unavailable' });
});

test('an engine whose thread cannot start fails at the start, with the reason', async () => {
  const workerUrl = new URL('data:text/javascript,throw new Error("No such module")');
  await expect(CpuVoiceSwap.start({ workerUrl })).rejects.toThrow('No such module');
});

test('a preview is a few seconds of speech in the voice, the same each time', async () => {
  const engine = await useVoiceSwap();
  const [deep, high, again] = await Promise.all(
    ['deep-narrator', 'child', 'child'].map((id) => engine.preview(id, noAbort())),
  );
  expect(again).toEqual(high);
  const pitch = [deep, high].map((wav) => {
    const { sampleRateHz, pcm } = readWav(wav ?? new Uint8Array());
    expect(pcm.length / sampleRateHz).toBeGreaterThan(2);
    const samples = new Float32Array(pcm.length);
    toFloat(pcm, samples);
    return median(pitchContour(samples, sampleRateHz));
  });
  expect(pitch[0]).toBeLessThan(100);
  expect(pitch[1]).toBeGreaterThan(250);
});

test('an aborted preview is rejected at once', async () => {
  const engine = await useVoiceSwap();
  const reason = new Error('No longer wanted');
  await expect(engine.preview('child', AbortSignal.abort(reason))).rejects.toBe(reason);
  const controller = new AbortController();
  const outcome = Promise.allSettled([engine.preview('child', controller.signal)]);
  controller.abort(reason);
  expect(await outcome).toMatchObject([{ status: 'rejected', reason }]);
});

test('the voices have their own ids, names and descriptions, and the default one is among them', () => {
  for (const key of ['id', 'name', 'description'] as const) {
    expect(new Set(VOICES.map((voice) => voice[key])).size).toBe(VOICES.length);
  }
  expect(VOICES.length).toBeGreaterThanOrEqual(8);
  expect(voiceById(DEFAULT_VOICE_ID)).toBeDefined();
});

test('previews of any two voices sound different', async () => {
  const engine = await useVoiceSwap();
  const features = await Promise.all(
    VOICES.map(async ({ id }) => {
      const { sampleRateHz, pcm } = readWav(await engine.preview(id, noAbort()));
      const samples = new Float32Array(pcm.length);
      toFloat(pcm, samples);
      const contour = pitchContour(samples, sampleRateHz);
      const voiced = contour.filter((pitch) => pitch > 0).length / contour.length;
      return {
        id,
        spectrum: longTermSpectrum(samples, sampleRateHz),
        semitones: voiced < 0.1 ? 0 : 12 * Math.log2(median(contour)),
        voiced,
      };
    }),
  );
  const alike: unknown[] = [];
  for (const [index, a] of features.entries()) {
    for (const b of features.slice(index + 1)) {
      const distance =
        Math.abs(a.semitones - b.semitones) / 2 +
        shapeDifference(a.spectrum, b.spectrum) / 2 +
        Math.abs(a.voiced - b.voiced) * 10;
      if (distance < 2) alike.push([a.id, b.id, distance]);
    }
  }
  expect(alike).toEqual([]);
});
