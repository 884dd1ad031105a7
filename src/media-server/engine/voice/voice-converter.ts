import { voiceEffects } from './voice-effects.ts';
import { GrainShifter } from './grain-shifter.ts';
import type { VoiceProfile } from './voice-profile.ts';

interface VoiceConverterOptions {
  /** The sample rate in Hz, from 8,000 to 48,000. */
  readonly sampleRateHz: number;
}

const RATE_HZ_MIN = 8000;
const RATE_HZ_MAX = 48_000;
/** The length of internal blocks, independent of the caller's blocks. */
const BLOCK_SECONDS = 0.0025;

/**
 * Converts one speaker's live speech to a voice. Samples are mono, -1 to 1. The output depends only on the
 * input and not on how it is divided into calls. Buffers are allocated once; processing allocates nothing per
 * sample.
 */
export class VoiceConverter {
  /** The delay of the converted voice, in samples. */
  readonly latencyFrames: number;
  readonly #shifter: GrainShifter;
  readonly #effects: ReturnType<typeof voiceEffects>;
  readonly #input: Float32Array;
  readonly #output: Float32Array;
  #filled = 0;

  /** Throws `RangeError` if the sample rate is out of range. */
  constructor(profile: VoiceProfile, { sampleRateHz }: VoiceConverterOptions) {
    if (!Number.isInteger(sampleRateHz) || sampleRateHz < RATE_HZ_MIN || sampleRateHz > RATE_HZ_MAX) {
      throw new RangeError(`Cannot convert a voice at ${sampleRateHz} Hz`);
    }
    const blockFrames = Math.round(BLOCK_SECONDS * sampleRateHz);
    this.#shifter = new GrainShifter(profile, sampleRateHz, blockFrames);
    this.#effects = voiceEffects(profile, sampleRateHz);
    this.#input = new Float32Array(blockFrames);
    this.#output = new Float32Array(blockFrames);
    this.latencyFrames = this.#shifter.latencyFrames + blockFrames;
  }

  /**
   * Processes all of `input` and writes the same number of samples, which are delayed by `latencyFrames`. `input` and
   * `output` may be the same array.
   */
  process(input: Float32Array, output: Float32Array): void {
    if (input.length !== output.length) throw new RangeError('Cannot convert: lengths differ');
    for (let at = 0; at < input.length;) {
      const count = Math.min(input.length - at, this.#input.length - this.#filled);
      this.#exchange(input, output, at, count);
      at += count;
      if (this.#filled < this.#input.length) continue;
      this.#shifter.process(this.#input, this.#output);
      for (const effect of this.#effects) effect(this.#output);
      this.#filled = 0;
    }
  }

  #exchange(input: Float32Array, output: Float32Array, at: number, count: number): void {
    const [taken, given, filled] = [this.#input, this.#output, this.#filled];
    for (let n = 0; n < count; n++) {
      taken[filled + n] = input[at + n] ?? 0;
      output[at + n] = given[filled + n] ?? 0;
    }
    this.#filled = filled + count;
  }
}
