import { readFile } from 'node:fs/promises';
import { toFloat } from '../../src/audio/pcm.ts';
import { readWav } from '../../src/audio/wav.ts';
import { CpuVoiceSwap } from '../../src/media-server/engine/voice/cpu-voice-swap.ts';
import { VoiceConverter } from '../../src/media-server/engine/voice/voice-converter.ts';
import { VOICES } from '../../src/media-server/engine/voice/voices.ts';
import { fft, resample } from '../audio/analysis.ts';
import { quantile } from './quantile.ts';

/** Processor time for a second of speech, in milliseconds, and figures derived from it. */
export interface VoiceEngineBench {
  readonly voices: number;
  /** Times at 48 kHz in blocks of 20 ms, for the median voice and the most expensive one. */
  readonly medianMsPerSecond: number;
  readonly worstMsPerSecond: number;
  readonly worstVoice: string;
  readonly worstMsPerSecond16k: number;
  /**
   * The minimum work of a phase vocoder, measured in the same run: a windowed FFT of 1024 points and its inverse, every
   * 256 samples.
   */
  readonly baselineMsPerSecond: number;
  /**
   * How many times faster than real time the most expensive voice is, which is also the number of streams that one core
   * can convert.
   */
  readonly realTimeFactor: number;
  readonly latencyMs: number;
  /** The time from a message with 20 ms of sound to the response, through the thread. */
  readonly roundTripP50Ms: number;
  readonly roundTripP99Ms: number;
  /** The calling thread's time for one second of one stream. */
  readonly mainThreadMsPerSecond: number;
  readonly kilobytesPerStream: number;
}

const SPEECH = new URL('../samples/speech-man-48k.wav', import.meta.url);
const CHUNK_SECONDS = 0.02;
/** Other load on the machine affects every round, and affects the best of several rounds least. */
const ROUNDS = 6;

/** Measures every voice on the sample speech, and the engine that runs the voices. */
export async function benchVoiceEngine(): Promise<VoiceEngineBench> {
  const { pcm, sampleRateHz } = readWav(await readFile(SPEECH));
  const speech = new Float32Array(pcm.length);
  toFloat(pcm, speech);
  const at16k = resample(speech, sampleRateHz, 16_000);
  const costs = VOICES.map((voice) => ({
    id: voice.id,
    ms: costOf(new VoiceConverter(voice, { sampleRateHz }), speech, sampleRateHz),
    ms16k: costOf(new VoiceConverter(voice, { sampleRateHz: 16_000 }), at16k, 16_000),
  }));
  const worst = costs.reduce((most, cost) => (cost.ms > most.ms ? cost : most));
  const converter = new VoiceConverter(VOICES[0] ?? failed(), { sampleRateHz });
  return {
    voices: VOICES.length,
    medianMsPerSecond: quantile(
      costs.map(({ ms }) => ms),
      0.5,
    ),
    worstMsPerSecond: worst.ms,
    worstVoice: worst.id,
    worstMsPerSecond16k: Math.max(...costs.map(({ ms16k }) => ms16k)),
    baselineMsPerSecond: costOfFourier(speech, sampleRateHz),
    realTimeFactor: 1000 / worst.ms,
    latencyMs: (1000 * converter.latencyFrames) / sampleRateHz,
    ...(await roundTrips(pcm, sampleRateHz)),
    kilobytesPerStream: memoryOfStreams(sampleRateHz),
  };
}

function costOf(converter: VoiceConverter, speech: Float32Array, sampleRateHz: number): number {
  const chunk = Math.round(CHUNK_SECONDS * sampleRateHz);
  const output = new Float32Array(chunk);
  return cheapest(speech.length / sampleRateHz, () => {
    for (let at = 0; at + chunk <= speech.length; at += chunk)
      converter.process(speech.subarray(at, at + chunk), output);
  });
}

function costOfFourier(speech: Float32Array, sampleRateHz: number): number {
  const [re, im] = [new Float64Array(1024), new Float64Array(1024)];
  return cheapest(speech.length / sampleRateHz, () => {
    for (let at = 0; at + 1024 <= speech.length; at += 256) {
      im.fill(0);
      for (let n = 0; n < 1024; n++) re[n] = speech[at + n] ?? 0;
      fft(re, im);
      fft(im, re);
    }
  });
}

/**
 * Returns the processor time in milliseconds for a second of speech, in the best of a few rounds after a
 * warm-up round.
 */
function cheapest(seconds: number, work: () => void): number {
  work();
  const rounds = Array.from({ length: ROUNDS }, () => {
    const before = process.threadCpuUsage();
    work();
    return milliseconds(process.threadCpuUsage(before)) / seconds;
  });
  return Math.min(...rounds);
}

async function roundTrips(
  pcm: Int16Array,
  sampleRateHz: number,
): Promise<Pick<VoiceEngineBench, 'roundTripP50Ms' | 'roundTripP99Ms' | 'mainThreadMsPerSecond'>> {
  const chunkFrames = Math.round(CHUNK_SECONDS * sampleRateHz);
  await using engine = await CpuVoiceSwap.start();
  await using stream = await engine.open({ voiceId: 'child', sampleRateHz, chunkFrames });
  const trips: number[] = [];
  const cpu: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const before = process.threadCpuUsage();
    for (let at = 0; at + chunkFrames <= pcm.length; at += chunkFrames) {
      const startedAt = performance.now();
      await stream.convert(pcm.subarray(at, at + chunkFrames));
      if (round > 0) trips.push(performance.now() - startedAt);
    }
    cpu.push((milliseconds(process.threadCpuUsage(before)) * sampleRateHz) / pcm.length);
  }
  return {
    roundTripP50Ms: quantile(trips, 0.5),
    roundTripP99Ms: quantile(trips, 0.99),
    mainThreadMsPerSecond: Math.min(...cpu),
  };
}

function memoryOfStreams(sampleRateHz: number): number {
  const count = 50;
  const before = process.memoryUsage();
  const streams = Array.from(
    { length: count },
    () => new VoiceConverter(VOICES[0] ?? failed(), { sampleRateHz }),
  );
  const after = process.memoryUsage();
  return (after.arrayBuffers - before.arrayBuffers) / 1024 / streams.length;
}

function milliseconds({ user, system }: { user: number; system: number }): number {
  return (user + system) / 1000;
}

function failed(): never {
  throw new TypeError('Cannot measure without voices');
}
