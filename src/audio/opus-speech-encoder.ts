import { Application, type OpusEncoderHandle, Signal, createEncoder } from 'libopus-wasm';

/** The number of samples in a frame: 20 ms at 48 kHz. */
export const FRAME = 960;
export const FRAME_MS = 20;
export const SPEECH_RATE_HZ = 48_000;

const BITRATE = 64_000;
const COMPLEXITY = 5;

/**
 * Encodes mono frames of 20 ms at 48 kHz. Its memory is outside JavaScript, so its creator must dispose it.
 *
 * At 64 kb/s the low-delay mode sounds as good as the other modes on the sample speech (SNR 20.5 dB, against 20.7 dB
 * with `Audio`) and has 4 ms less delay. Complexity 5 takes two thirds of the time that complexity 10 (20.8 dB) takes.
 */
export class OpusSpeechEncoder implements Disposable {
  /** The delay from the input to the decoded sound, in milliseconds. */
  readonly lookaheadMs: number;
  readonly #encoder: OpusEncoderHandle;

  private constructor(encoder: OpusEncoderHandle) {
    this.#encoder = encoder;
    this.lookaheadMs = (1000 * encoder.getLookahead()) / SPEECH_RATE_HZ;
  }

  static async open(): Promise<OpusSpeechEncoder> {
    const encoder = await createEncoder({
      channels: 1,
      sampleRate: SPEECH_RATE_HZ,
      application: Application.RestrictedLowDelay,
      signal: Signal.Voice,
      bitrate: BITRATE,
      complexity: COMPLEXITY,
    });
    return new OpusSpeechEncoder(encoder);
  }

  /** Returns one packet for the next `FRAME` samples of -1 to 1. */
  encode(frame: Float32Array): Uint8Array {
    return this.#encoder.encodeFloat(frame);
  }

  [Symbol.dispose](): void {
    this.#encoder.free();
  }
}
