import { Resampler } from '../../../audio/resampler.ts';
import { VoiceConverter } from '../voice/voice-converter.ts';
import type { VoiceProfile } from '../voice/voice-profile.ts';
import { FLITE_SAMPLE_RATE_HZ } from './flite.ts';

/**
 * The sample rate of the result. It is higher than the synthesiser's 16 kHz, because some voices contain higher
 * frequencies.
 */
export const SPEECH_SAMPLE_RATE_HZ = 24_000;

/**
 * Converts the synthesiser's sound, which is added in pieces, to a listed voice at `SPEECH_SAMPLE_RATE_HZ`. The timing
 * does not change, because the conversion delays are removed.
 */
export class SpokenSound {
  readonly #resampler = new Resampler(FLITE_SAMPLE_RATE_HZ, SPEECH_SAMPLE_RATE_HZ);
  readonly #converter: VoiceConverter;
  readonly #parts: Float32Array[] = [];
  #frames = 0;

  constructor(voice: VoiceProfile) {
    this.#converter = new VoiceConverter(voice, { sampleRateHz: SPEECH_SAMPLE_RATE_HZ });
  }

  /** The length of the sound that has been added. */
  get seconds(): number {
    return this.#frames / FLITE_SAMPLE_RATE_HZ;
  }

  /** Appends samples at `FLITE_SAMPLE_RATE_HZ`. */
  add(samples: Float32Array): void {
    this.#frames += samples.length;
    this.#push(samples);
  }

  /** Returns the converted sound and ends it: nothing can be added afterwards. */
  finish(): Float32Array {
    const length = Math.round(this.seconds * SPEECH_SAMPLE_RATE_HZ);
    const delay = this.#converter.latencyFrames;
    const late = this.#resampler.delayFrames + (delay * FLITE_SAMPLE_RATE_HZ) / SPEECH_SAMPLE_RATE_HZ;
    this.#push(new Float32Array(Math.ceil(late) + 1));
    const samples = new Float32Array(length);
    let at = -delay;
    for (const part of this.#parts) {
      const from = Math.max(0, -at);
      const count = Math.min(part.length, length - at);
      if (from < count) samples.set(part.subarray(from, count), at + from);
      at += part.length;
    }
    return samples;
  }

  #push(samples: Float32Array): void {
    const part = new Float32Array(this.#resampler.outputFramesMax(samples.length));
    const filled = part.subarray(0, this.#resampler.process(samples, part));
    this.#converter.process(filled, filled);
    this.#parts.push(filled);
  }
}
