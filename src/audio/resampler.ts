import { type SincTable, sincTable } from './sinc-table.ts';

/** The maximum number of phases whose taps are stored. A resampler with more phases interpolates the taps. */
const PHASES_MAX = 640;
const DELAY_SECONDS_MAX = 0.002;
const ZERO_CROSSINGS_MAX = 32;
const BETA = 8;
/** Half the transition width of a Kaiser window with beta 8, in zero crossings of the slower rate. */
const TRANSITION = 1.26;
const ROOM = 4096;

/**
 * Changes the sample rate of a mono stream by any ratio with a polyphase low-pass filter. Output sample `k` corresponds
 * to input time `k * inputHz / outputHz`, without drift, and is written once `delayFrames` later inputs have arrived.
 */
export class Resampler {
  /** The number of input samples that must follow a position before its output can be written; at most 2 ms. */
  readonly delayFrames: number;
  readonly #table: SincTable;
  readonly #numerator: number;
  readonly #denominator: number;
  readonly #buffer: Float32Array;
  #filled: number;
  /**
   * The next output sample's position in the input buffer: whole samples, plus a fraction in units of `1 /
   * denominator`.
   */
  #position: number;
  #rest = 0;

  /** Throws `RangeError` unless both rates are positive whole numbers. */
  constructor(inputHz: number, outputHz: number) {
    for (const rate of [inputHz, outputHz]) {
      if (!Number.isInteger(rate) || rate < 1) throw new RangeError(`Cannot resample at ${rate} Hz`);
    }
    const divisor = greatestCommonDivisor(inputHz, outputHz);
    this.#numerator = inputHz / divisor;
    this.#denominator = outputHz / divisor;
    const share = Math.min(1, outputHz / inputHz);
    const slower = inputHz * share;
    const crossings = Math.max(4, Math.min(ZERO_CROSSINGS_MAX, Math.floor(DELAY_SECONDS_MAX * slower)));
    const half = Math.floor(crossings / share);
    const cutoff = share * (0.5 - TRANSITION / crossings);
    this.#table = sincTable({ phases: Math.min(this.#denominator, PHASES_MAX), half, cutoff, beta: BETA });
    this.delayFrames = half;
    this.#buffer = new Float32Array(2 * half + ROOM);
    this.#filled = half - 1;
    this.#position = half - 1;
  }

  /** Returns the maximum number of samples that `process` may write when it is given `inputFrames` more samples. */
  outputFramesMax(inputFrames: number): number {
    return Math.ceil((inputFrames * this.#denominator) / this.#numerator) + 1;
  }

  /** Reads all of `input`, and writes the samples that are ready to the start of `output`. Returns their number. */
  process(input: Float32Array, output: Float32Array): number {
    if (output.length < this.outputFramesMax(input.length)) throw new RangeError('Cannot resample: no room');
    let written = 0;
    for (let from = 0; from < input.length; from += ROOM) {
      const count = Math.min(ROOM, input.length - from);
      for (let n = 0; n < count; n++) this.#buffer[this.#filled + n] = input[from + n] ?? 0;
      this.#filled += count;
      written = this.#writeReady(output, written);
      this.#forget();
    }
    return written;
  }

  #writeReady(output: Float32Array, from: number): number {
    const { half, phases } = this.#table;
    const isExact = phases === this.#denominator;
    let written = from;
    while (this.#position + half < this.#filled) {
      const start = this.#position + 1 - half;
      if (isExact) output[written++] = this.#dot(start, this.#rest);
      else {
        const phase = (this.#rest / this.#denominator) * phases;
        const row = Math.floor(phase);
        const below = this.#dot(start, row);
        output[written++] = below + (phase - row) * (this.#dot(start, row + 1) - below);
      }
      const rest = this.#rest + this.#numerator;
      const whole = Math.floor(rest / this.#denominator);
      this.#position += whole;
      this.#rest = rest - whole * this.#denominator;
    }
    return written;
  }

  #dot(start: number, row: number): number {
    const { half, taps } = this.#table;
    const buffer = this.#buffer;
    const width = 2 * half;
    const from = row * width;
    let sum = 0;
    for (let tap = 0; tap < width; tap++) sum += (taps[from + tap] ?? 0) * (buffer[start + tap] ?? 0);
    return sum;
  }

  #forget(): void {
    const past = Math.min(this.#filled, Math.max(0, this.#position + 1 - this.#table.half));
    this.#buffer.copyWithin(0, past, this.#filled);
    this.#filled -= past;
    this.#position -= past;
  }
}

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b);
}
