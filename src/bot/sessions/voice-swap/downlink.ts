import { SPEECH_RATE_HZ } from '../../../audio/opus-speech-encoder.ts';
import { toFloat } from '../../../audio/pcm.ts';
import { PIECE_MS_MAX } from '../../../audio/playout/playout-units.ts';
import { Playout, type PlayoutCounts } from '../../../audio/playout/playout.ts';
import { Resampler } from '../../../audio/resampler.ts';
import type { Clock } from '../../../base/clock.ts';
import type { VoiceLine } from '../voice-line.ts';

/** Converted speech from a line, at 48 kHz, waiting to be played. */
export class Downlink {
  readonly #playout = new Playout();
  readonly #resampler: Resampler | undefined;
  readonly #delayMs: number;
  readonly #piece: number;
  #input = new Float32Array(0);
  #output = new Float32Array(0);

  /** `onDue` receives the time at which a stretch of speech must start to play. */
  constructor(line: VoiceLine, clock: Clock, onDue: (atMs: number) => void) {
    const isDirect = line.sampleRateHz === SPEECH_RATE_HZ;
    this.#resampler = isDirect ? undefined : new Resampler(line.sampleRateHz, SPEECH_RATE_HZ);
    this.#delayMs = this.#resampler ? (1000 * this.#resampler.delayFrames) / line.sampleRateHz : 0;
    this.#piece = (PIECE_MS_MAX * line.sampleRateHz) / 1000;
    line.onConverted((samples) => {
      this.#take(samples, clock.monotonic());
      if (this.#playout.dueMs !== undefined) onDue(this.#playout.dueMs);
    });
  }

  get counts(): PlayoutCounts {
    return this.#playout.counts;
  }

  /** Whether there is something to play, now or soon. */
  get isActive(): boolean {
    return this.#playout.isActive;
  }

  /** How many milliseconds the last frame waited after the line had delivered it. */
  get waitedMs(): number {
    return this.#playout.waitedMs + this.#delayMs;
  }

  /** By how many milliseconds all frames could be played earlier. */
  get spareMs(): number {
    return this.#playout.isActive ? this.#playout.spareMs : Infinity;
  }

  /** Plays all later frames earlier by `ms`. */
  advance(ms: number): void {
    this.#playout.advance(ms);
  }

  /** Called after frames were missed. The speech that they would have contained may be dropped. */
  skipped(): void {
    this.#playout.skipped();
  }

  /** Allows `ms` more milliseconds of speech to wait, because it was recorded before the line was open. */
  allow(ms: number): void {
    this.#playout.allow(ms);
  }

  /** Writes the next 20 ms of speech to `frame`. Returns false if there was nothing to play. */
  pull(frame: Float32Array, nowMs: number): boolean {
    return this.#playout.pull(frame, nowMs);
  }

  #take(samples: Int16Array, nowMs: number): void {
    for (let from = 0; from < samples.length; from += this.#piece) {
      const piece = samples.subarray(from, from + this.#piece);
      if (this.#input.length < piece.length) this.#input = new Float32Array(piece.length);
      const input = this.#input.subarray(0, piece.length);
      toFloat(piece, input);
      this.#play(input, nowMs);
    }
  }

  #play(input: Float32Array, nowMs: number): void {
    if (!this.#resampler) return this.#playout.push(input, input.length, nowMs);
    const most = this.#resampler.outputFramesMax(input.length);
    if (this.#output.length < most) this.#output = new Float32Array(most);
    this.#playout.push(this.#output, this.#resampler.process(input, this.#output), nowMs);
  }
}
