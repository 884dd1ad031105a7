import type { SampleHistory } from '../../../audio/sample-history.ts';
import { type SincTable, sincTable } from '../../../audio/sinc-table.ts';

/** The source and the target of a grain. Positions and lengths are in samples. */
export interface GrainCut {
  /** The position in the speech that is placed at `target`. */
  source: number;
  target: number;
  /** The centre of the window, relative to `source`. */
  offset: number;
  /** The extent of the window before and after its centre, in the speech. */
  left: number;
  right: number;
  /** The speed at which the grain is read. Formants are shifted by this ratio. */
  speed: number;
}

/**
 * The cutoff for reading a grain at up to the given speed, which prevents aliasing and mirrored frequencies.
 */
const CUTOFFS = [
  { speed: 0.97, cutoff: 0.44 },
  { speed: 1.02, cutoff: 0.5 },
  { speed: 1.2, cutoff: 0.42 },
  { speed: Number.POSITIVE_INFINITY, cutoff: 0.35 },
];
const PHASES = 512;
/** At a high sample rate, speech is far below the upper frequency limit, so few taps are enough. */
const HIGH_RATE_HZ = 32_000;
const TABLES = tables(8, 6);
const HIGH_RATE_TABLES = tables(5, 5);

function tables(half: number, beta: number): readonly SincTable[] {
  return CUTOFFS.map(({ cutoff }) => sincTable({ phases: PHASES, half, cutoff, beta }));
}

/** A windowed piece of speech that is read at its own speed, with interpolation between samples. */
export class Grain {
  readonly samples: Float32Array;
  /** The window that was applied to the speech. */
  readonly window: Float32Array;
  /** The position of the first sample in the stream. */
  position = 0;
  count = 0;

  readonly #tables: readonly SincTable[];

  /** Allocates memory for cuts of up to `framesMax` samples. */
  constructor(sampleRateHz: number, framesMax: number) {
    this.#tables = sampleRateHz >= HIGH_RATE_HZ ? HIGH_RATE_TABLES : TABLES;
    this.samples = new Float32Array(framesMax);
    this.window = new Float32Array(framesMax);
  }

  cut(speech: SampleHistory, cut: GrainCut): void {
    const middle = cut.target + cut.offset / cut.speed;
    const first = Math.ceil(middle - cut.left / cut.speed);
    const last = Math.floor(middle + cut.right / cut.speed);
    this.position = first;
    this.count = Math.min(this.samples.length, Math.max(0, last - first + 1));
    const turn = Math.max(0, Math.min(this.count, Math.floor(middle) + 1 - first));
    this.#raiseWindow(0, turn, first - middle, cut.left / cut.speed);
    this.#raiseWindow(turn, this.count, first + turn - middle, cut.right / cut.speed);
    const shift = cut.source - cut.target;
    if (cut.speed === 1 && Number.isInteger(shift)) this.#copy(speech, shift);
    else this.#read(speech, cut);
  }

  /**
   * Writes half of a Hann window that is `reach` samples wide. The first sample is `from` samples after the window's
   * centre.
   */
  #raiseWindow(begin: number, end: number, from: number, reach: number): void {
    const step = Math.PI / Math.max(1, reach);
    const twice = 2 * Math.cos(step);
    let before = Math.cos(step * (from - 1));
    let now = Math.cos(step * from);
    for (let n = begin; n < end; n++) {
      this.window[n] = 0.5 + 0.5 * now;
      const next = twice * now - before;
      before = now;
      now = next;
    }
  }

  #copy({ samples, start }: SampleHistory, shift: number): void {
    const from = this.position + shift - start;
    for (let n = 0; n < this.count; n++) {
      this.samples[n] = (samples[from + n] ?? 0) * (this.window[n] ?? 0);
    }
  }

  #read({ samples, start }: SampleHistory, { source, target, speed }: GrainCut): void {
    const { half, taps } = this.#tableFor(speed);
    const width = 2 * half;
    const [into, window] = [this.samples, this.window];
    let at = source + (this.position - target) * speed - start;
    for (let n = 0; n < this.count; n++, at += speed) {
      let whole = Math.floor(at);
      const phase = Math.round((at - whole) * PHASES);
      const row = phase * width;
      whole += 1 - half;
      let sum = 0;
      for (let tap = 0; tap < width; tap++) sum += (taps[row + tap] ?? 0) * (samples[whole + tap] ?? 0);
      into[n] = sum * (window[n] ?? 0);
    }
  }

  #tableFor(speed: number): SincTable {
    const table = this.#tables[CUTOFFS.findIndex((entry) => speed <= entry.speed)];
    if (!table) throw new RangeError(`Cannot read a grain at speed ${speed}`);
    return table;
  }
}
