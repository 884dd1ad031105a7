import { energyOf } from './find-period.ts';

/** The energy of sound at -46 dB (root mean square). Louder sound may be speech. */
const LOUD_ENERGY = 0.005 ** 2;
const NEEDED_MS = 60;
const REMEMBERED_MS = 300;

/** Distinguishes speech from clicks and quiet noise by its loudness and length. */
export class SpeechDetector {
  #loudMs = 0;
  #isLoud = false;

  /** Whether the last piece was loud. */
  get isLoud(): boolean {
    return this.#isLoud;
  }

  /** Takes the next piece of sound and returns whether it is speech. */
  hear(samples: Float32Array, sampleRateHz: number): boolean {
    const ms = (1000 * samples.length) / sampleRateHz;
    this.#isLoud = energyOf(samples, 0, samples.length) > LOUD_ENERGY * samples.length;
    const change = this.#isLoud ? ms : -ms / 2;
    this.#loudMs = Math.max(0, Math.min(REMEMBERED_MS, this.#loudMs + change));
    return this.#isLoud && this.#loudMs >= NEEDED_MS;
  }
}
