import { readFile } from 'node:fs/promises';
import { Application, Signal, createEncoder } from 'libopus-wasm';
import OpusScript from 'opusscript';
import { Limiter } from '../../src/audio/limiter.ts';
import { FRAME, OpusSpeechEncoder, SPEECH_RATE_HZ } from '../../src/audio/opus-speech-encoder.ts';
import { toFloat } from '../../src/audio/pcm.ts';
import { Playout } from '../../src/audio/playout/playout.ts';
import { Resampler } from '../../src/audio/resampler.ts';
import { SpeechDecoder } from '../../src/audio/speech-decoder.ts';
import { readWav } from '../../src/audio/wav.ts';

/** Processor time in microseconds for 20 ms of one member's speech at each stage. */
export interface VoiceFramesBench {
  readonly decode48k: number;
  readonly decode16k: number;
  /** From 48 to 44.1 kHz; the reverse costs about the same. */
  readonly resample44k: number;
  readonly playout: number;
  /** Mixing ten members for the channel. */
  readonly mixTen: number;
  readonly encode: number;
  /**
   * The share of a core, in per cent, that each speaker needs, and that each channel needs, if nothing is resampled.
   */
  readonly percentPerSpeaker: number;
  readonly percentPerChannel: number;
  /**
   * The figures for opusscript, the decoder and encoder that the libraries' guides use, in stereo and in the same run.
   */
  readonly baselineDecode: number;
  readonly baselineEncode: number;
}

const SPEECH = new URL('../samples/speech-man-48k.wav', import.meta.url);
const ROUNDS = 6;
/** The kernel measures a thread's time only coarsely, so each round repeats the work. */
const REPEATS = 4;
const MEMBERS = 10;
const FRAME_US = 20_000;

/** Measures each stage with the sample speech. */
export async function benchVoiceFrames(): Promise<VoiceFramesBench> {
  const frames = framesOf(await readFile(SPEECH));
  const packets = await clientPackets(frames);
  const decode48k = await costOfDecoding(packets, 48_000);
  const playout = costOfPlayout(frames);
  const mixTen = costOfMix(frames);
  const encode = await costOfEncoding(frames);
  return {
    decode48k,
    decode16k: await costOfDecoding(packets, 16_000),
    resample44k: costOfResampling(frames),
    playout,
    mixTen,
    encode,
    percentPerSpeaker: (100 * (decode48k + playout + mixTen / MEMBERS)) / FRAME_US,
    percentPerChannel: (100 * encode) / FRAME_US,
    ...baseline(frames, packets),
  };
}

function framesOf(wav: Uint8Array): Float32Array[] {
  const { pcm } = readWav(wav);
  const speech = new Float32Array(pcm.length);
  toFloat(pcm, speech);
  return Array.from({ length: Math.floor(speech.length / FRAME) }, (_, n) =>
    speech.subarray(n * FRAME, (n + 1) * FRAME),
  );
}

/** Encodes packets as a Discord client does. */
async function clientPackets(frames: readonly Float32Array[]): Promise<Uint8Array[]> {
  using encoder = await createEncoder({
    channels: 1,
    application: Application.Voip,
    signal: Signal.Voice,
    bitrate: 64_000,
    fec: true,
    packetLossPercent: 10,
  });
  return frames.map((frame) => encoder.encodeFloat(frame));
}

async function costOfDecoding(packets: readonly Uint8Array[], rate: 48_000 | 16_000): Promise<number> {
  using decoder = await SpeechDecoder.open(rate);
  return cheapest(packets, (packet) => decoder.decode(packet));
}

function costOfResampling(frames: readonly Float32Array[]): number {
  const resampler = new Resampler(SPEECH_RATE_HZ, 44_100);
  const output = new Float32Array(resampler.outputFramesMax(FRAME));
  return cheapest(frames, (frame) => resampler.process(frame, output));
}

function costOfPlayout(frames: readonly Float32Array[]): number {
  const playout = new Playout();
  const output = new Float32Array(FRAME);
  let nowMs = 0;
  return cheapest(frames, (frame) => {
    playout.push(frame, FRAME, nowMs);
    nowMs += 20;
    playout.pull(output, nowMs);
  });
}

function costOfMix(frames: readonly Float32Array[]): number {
  const mix = new Float32Array(FRAME);
  const limiter = new Limiter(SPEECH_RATE_HZ);
  return cheapest(frames, (frame) => {
    mix.fill(0);
    for (let member = 0; member < MEMBERS; member++)
      for (let n = 0; n < FRAME; n++) mix[n] = (mix[n] ?? 0) + (frame[n] ?? 0);
    limiter.process(mix);
  });
}

async function costOfEncoding(frames: readonly Float32Array[]): Promise<number> {
  using encoder = await OpusSpeechEncoder.open();
  return cheapest(frames, (frame) => encoder.encode(frame));
}

function baseline(
  frames: readonly Float32Array[],
  packets: readonly Uint8Array[],
): Pick<VoiceFramesBench, 'baselineDecode' | 'baselineEncode'> {
  const script = new OpusScript(SPEECH_RATE_HZ, 2);
  const stereo = frames.map((frame) => {
    const pcm = Buffer.alloc(FRAME * 4);
    frame.forEach((x, n) => {
      pcm.writeInt16LE(Math.round(x * 32_767), n * 4);
      pcm.writeInt16LE(Math.round(x * 32_767), n * 4 + 2);
    });
    return pcm;
  });
  return {
    baselineDecode: cheapest(packets, (packet) => script.decode(Buffer.from(packet))),
    baselineEncode: cheapest(stereo, (pcm) => script.encode(pcm, FRAME)),
  };
}

/** Returns the microseconds per item in the best of a few rounds, after a warm-up round. */
function cheapest<T>(items: readonly T[], work: (item: T) => unknown): number {
  for (const item of items) work(item);
  const rounds = Array.from({ length: ROUNDS }, () => {
    const before = process.threadCpuUsage();
    for (let repeat = 0; repeat < REPEATS; repeat++) for (const item of items) work(item);
    const { user, system } = process.threadCpuUsage(before);
    return (user + system) / items.length / REPEATS;
  });
  return Math.min(...rounds);
}
