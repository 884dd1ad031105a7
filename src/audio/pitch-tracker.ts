import { Biquad } from './biquad.ts';
import { Resampler } from './resampler.ts';
import { SampleHistory } from './sample-history.ts';

const RATE_HZ = 8000;
const PITCH_HZ_MIN = 60;
const PITCH_HZ_MAX = 620;
const LAG_MIN = Math.floor(RATE_HZ / PITCH_HZ_MAX);
const LAG_MAX = Math.ceil(RATE_HZ / PITCH_HZ_MIN);
/** The number of samples that are compared with the samples one period later. */
const WINDOW = 128;
/** The number of samples between two estimates of the period: 5 ms. */
const HOP = 40;
const SPAN = WINDOW + LAG_MAX + 2;
const JUDGEMENTS = 64;
const HISTORY = 2048;
/**
 * A sound counts as voiced if neighbouring periods are at least this alike: in the first estimate, in the second
 * estimate of nearly the same period, or while the sound is voiced already.
 */
const VOICED_AT_ONCE = 0.8;
const VOICED_AGAIN = 0.6;
const VOICED_STILL = 0.5;
/** A voice has at least this share of its energy (up to 4 kHz) below 1 kHz; a hiss has less. */
const LOW_SHARE_MIN = 0.08;
/**
 * The shortest lag with at least this share of the best likeness is the period. Longer lags may match as well, because
 * they may be multiples of the period.
 */
const AS_GOOD = 0.88;
/** The bonus that is added to the likeness of a period near the previous one. */
const STEADY = 0.06;
const ENERGY_MIN = 1.5e-3 ** 2;

/**
 * Follows the period of a voice in a stream by comparing neighbouring stretches of it (normalised cross-correlation at
 * 8 kHz). Positions and periods are in samples of the stream.
 */
export class PitchTracker {
  /** The approximate number of samples that must follow a position before its period can be estimated. */
  readonly lookaheadFrames: number;
  readonly #scale: number;
  readonly #resampler: Resampler;
  readonly #slow: Float32Array;
  readonly #low: Float32Array;
  readonly #highPass = new Biquad({ kind: 'highPass', hz: 55 }, RATE_HZ);
  readonly #lowPass = new Biquad({ kind: 'lowPass', hz: 1000 }, RATE_HZ);
  readonly #history = new SampleHistory(HISTORY);
  readonly #lowHistory = new SampleHistory(HISTORY);
  readonly #squares = new Float64Array(SPAN + 1);
  readonly #likeness = new Float64Array(LAG_MAX + 2);
  readonly #periods = new Float64Array(JUDGEMENTS);
  #judgements = 0;
  #lastLag = 0;
  #lastCandidate = 0;

  /** `blockFrames` is the largest number of samples in one push. */
  constructor(sampleRateHz: number, blockFrames: number) {
    this.#scale = sampleRateHz / RATE_HZ;
    this.#resampler = new Resampler(sampleRateHz, RATE_HZ);
    this.#slow = new Float32Array(this.#resampler.outputFramesMax(blockFrames));
    this.#low = new Float32Array(this.#slow.length);
    this.lookaheadFrames = Math.ceil((SPAN / 2 + HOP) * this.#scale) + this.#resampler.delayFrames;
  }

  push(block: Float32Array): void {
    const count = this.#resampler.process(block, this.#slow);
    this.#highPass.process(this.#slow, count);
    this.#history.push(this.#slow, count);
    this.#low.set(this.#slow);
    this.#lowPass.process(this.#low, count);
    this.#lowHistory.push(this.#low, count);
    while (this.#history.end >= this.#judgements * HOP + SPAN) this.#judge();
  }

  /** Returns the period around a position according to the nearest estimate, or 0 if the sound has no period. */
  periodAt(position: number): number {
    const nearest = Math.round((position / this.#scale - SPAN / 2) / HOP);
    const index = Math.max(this.#judgements - JUDGEMENTS, Math.min(this.#judgements - 1, nearest));
    return index < 0 ? 0 : (this.#periods[index % JUDGEMENTS] ?? 0) * this.#scale;
  }

  /**
   * Returns the exact period of the stretch that starts at `position`. It is searched for near the expected `period`.
   */
  refine(position: number, period: number): number {
    const lag = period / this.#scale;
    const window = Math.max(48, Math.round(lag));
    const low = Math.max(LAG_MIN - 1, Math.floor(lag * 0.9) - 1);
    const high = Math.min(LAG_MAX + 1, Math.ceil(lag * 1.1) + 1);
    const wanted = Math.round((position + period / 2) / this.#scale - (window + lag) / 2);
    const from = Math.min(wanted, this.#history.end - window - high);
    if (from < this.#history.start || high - low < 2) return period;
    let best = 0;
    for (let lag = low; lag <= high; lag++) {
      this.#likeness[lag] = this.#compare(from, from + lag, window);
      if (lag === low || (this.#likeness[lag] ?? 0) > (this.#likeness[best] ?? 0)) best = lag;
    }
    if (best === low || best === high) return period;
    return this.#peak(best) * this.#scale;
  }

  /** Returns the position between `from` and `to` at which the sound is strongest (over about 1 ms). */
  strongestBetween(from: number, to: number): number {
    const { samples, start, end } = this.#history;
    const first = Math.max(start + 4, Math.round(from / this.#scale));
    const last = Math.min(end - 5, Math.round(to / this.#scale));
    let best = first;
    let most = -1;
    for (let n = first; n <= last; n++) {
      let energy = 0;
      for (let k = -4; k <= 4; k++) energy += (5 - Math.abs(k)) * (samples[n + k - start] ?? 0) ** 2;
      if (energy > most) [best, most] = [n, energy];
    }
    return last < first ? (from + to) / 2 : best * this.#scale;
  }

  #judge(): void {
    const lag = this.#findLag(this.#judgements * HOP - this.#history.start);
    this.#lastLag = lag;
    this.#periods[this.#judgements % JUDGEMENTS] = lag;
    this.#judgements++;
  }

  /** Returns the lag of the window that starts at memory index `at`, or 0 if the window is not voiced. */
  #findLag(at: number): number {
    if (!this.#mayBeVoice(at)) return 0;
    let most = 0;
    for (let lag = LAG_MIN - 1; lag <= LAG_MAX + 1; lag++) {
      const likeness = this.#likenessAt(at, lag);
      this.#likeness[lag] = likeness;
      if (lag >= LAG_MIN && lag <= LAG_MAX && likeness > most) most = likeness;
    }
    const lag = this.#choose(most);
    const isAgain = Math.abs(lag - this.#lastCandidate) < 0.2 * lag;
    this.#lastCandidate = lag;
    const enough = this.#lastLag > 0 ? VOICED_STILL : isAgain ? VOICED_AGAIN : VOICED_AT_ONCE;
    return most < enough ? 0 : lag;
  }

  /**
   * Whether the sound is loud enough, and has enough low frequencies, to be a voice. Also sums the squares of its
   * low-frequency component.
   */
  #mayBeVoice(at: number): boolean {
    const all = this.#history.samples;
    const low = this.#lowHistory.samples;
    let energy = 0;
    let sum = 0;
    for (let n = 0; n < SPAN; n++) {
      energy += (all[at + n] ?? 0) ** 2;
      sum += (low[at + n] ?? 0) ** 2;
      this.#squares[n + 1] = sum;
    }
    return energy >= SPAN * ENERGY_MIN && sum >= LOW_SHARE_MIN * energy;
  }

  /** Returns the likeness of the low-frequency component at this lag. Comparing every second sample is enough. */
  #likenessAt(at: number, lag: number): number {
    const { samples } = this.#lowHistory;
    const squares = this.#squares;
    const a = (SPAN - WINDOW - lag) >> 1;
    const b = a + lag;
    const energyA = (squares[a + WINDOW] ?? 0) - (squares[a] ?? 0);
    const energyB = (squares[b + WINDOW] ?? 0) - (squares[b] ?? 0);
    let sum = 0;
    for (let n = at + a, end = n + WINDOW; n < end; n += 2)
      sum += (samples[n] ?? 0) * (samples[n + lag] ?? 0);
    return (2 * sum) / Math.sqrt(energyA * energyB + 1e-12);
  }

  #choose(most: number): number {
    for (let lag = LAG_MIN; lag <= LAG_MAX; lag++) {
      const likeness = this.#likeness[lag] ?? 0;
      const isPeak = likeness >= (this.#likeness[lag - 1] ?? 0) && likeness > (this.#likeness[lag + 1] ?? 0);
      if (!isPeak) continue;
      const isSteady = Math.abs(lag - this.#lastLag) < 0.15 * lag;
      if (likeness + (isSteady ? STEADY : 0) >= AS_GOOD * most) return this.#peak(lag);
    }
    return 0;
  }

  #compare(a: number, b: number, count: number): number {
    const { samples, start } = this.#history;
    let product = 0;
    let energyA = 0;
    let energyB = 0;
    for (let n = 0; n < count; n++) {
      const x = samples[a - start + n] ?? 0;
      const y = samples[b - start + n] ?? 0;
      product += x * y;
      energyA += x * x;
      energyB += y * y;
    }
    return product / Math.sqrt(energyA * energyB + 1e-12);
  }

  /** Returns the lag at the top of the parabola through a peak of the likeness and its two neighbours. */
  #peak(lag: number): number {
    const before = this.#likeness[lag - 1] ?? 0;
    const at = this.#likeness[lag] ?? 0;
    const after = this.#likeness[lag + 1] ?? 0;
    const curve = before - 2 * at + after;
    return curve < 0 ? lag + Math.max(-0.5, Math.min(0.5, (0.5 * (before - after)) / curve)) : lag;
  }
}
