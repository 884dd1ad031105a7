import { setImmediate } from 'node:timers/promises';
import { Application, createEncoder, type OpusEncoderHandle, type SampleRate } from 'libopus-wasm';

export const FRAME_MS = 20;
/** The number of samples in 20 ms at 48 kHz. */
export const FRAME_SAMPLES = 960;
/** The frame that Discord's clients send five times at the end of speech. */
export const SILENCE_FRAME: Uint8Array = Uint8Array.from([0xf8, 0xff, 0xfe]);
const BITRATE = 64_000;
/** The number of frames to encode before other work may run. This takes a few milliseconds. */
const FRAMES_AT_ONCE = 3;

/** Speech that is already encoded: Opus packets of 20 ms each. */
export interface OpusSpeech {
  readonly frames: readonly Uint8Array[];
}

/** A member's speech: 48 kHz mono samples, or packets that are already encoded. */
export type Speech = Int16Array | OpusSpeech;

/** Creates an encoder like that of Discord's clients: mono, 64 kbit/s, in-band error correction. */
export function createSpeechEncoder(sampleRate: SampleRate = 48_000): Promise<OpusEncoderHandle> {
  return createEncoder({
    sampleRate,
    channels: 1,
    application: Application.Voip,
    bitrate: BITRATE,
    fec: true,
    packetLossPercent: 5,
  });
}

/**
 * Encodes mono samples once, for repeated use. The last frame is padded with zeros. The function yields regularly, so
 * that voice calls in this process continue in real time.
 */
export async function encodeSpeech(
  samples: Int16Array,
  sampleRateHz: SampleRate = 48_000,
): Promise<OpusSpeech> {
  using encoder = await createSpeechEncoder(sampleRateHz);
  const size = (sampleRateHz * FRAME_MS) / 1000;
  const frames: Uint8Array[] = [];
  for (let start = 0; start < samples.length; start += size) {
    frames.push(encoder.encode(frameOf(samples, frames.length, size)));
    if (frames.length % FRAMES_AT_ONCE === 0) await setImmediate();
  }
  return { frames };
}

/** Returns the samples of one frame. */
export function frameOf(samples: Int16Array, index: number, size: number = FRAME_SAMPLES): Int16Array {
  const frame = new Int16Array(size);
  frame.set(samples.subarray(index * size, (index + 1) * size));
  return frame;
}
