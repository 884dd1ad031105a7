/**
 * The balance of a `OneEuroFilter` between stability and lag. Lengths are in the unit that is passed to
 * `next`.
 */
interface OneEuroTuning {
  /** Cut-off in Hz for points at rest: a lower value is more stable. */
  readonly restHz: number;
  /** How much the cut-off rises, in Hz, for a speed of one unit per second: a higher value follows sooner. */
  readonly hzPerSpeed: number;
  /** The cut-off in Hz for the speed itself. */
  readonly speedHz: number;
}

/** The minimum time between frames, because several frames may arrive together over a network. */
const ELAPSED_SECONDS_MIN = 0.001;

/**
 * The One-Euro filter (Casiez 2012) over many points: each is smoothed strongly while it rests and hardly
 * while it moves. Points have x, y, z; the speed is that of x and y together.
 */
export class OneEuroFilter {
  readonly #tuning: OneEuroTuning;
  #values = new Float32Array(0);
  #speeds = new Float32Array(0);

  constructor(tuning: OneEuroTuning) {
    this.#tuning = tuning;
  }

  /** Clears the state: the next values are returned unchanged. */
  reset(): void {
    this.#values = new Float32Array(0);
  }

  /** Filters the points `elapsedSeconds` after the previous ones and returns smoothed copies. `unit` scales speeds. */
  next(points: Float32Array, elapsedSeconds: number, unit: number): Float32Array {
    if (this.#values.length !== points.length) return this.#restart(points);
    const seconds = Math.max(elapsedSeconds, ELAPSED_SECONDS_MIN);
    const { restHz, hzPerSpeed, speedHz } = this.#tuning;
    const values = this.#values;
    const speeds = this.#speeds;
    const speedShare = share(speedHz, seconds);
    const perUnit = 1 / (unit * seconds);
    for (let at = 0; at < points.length; at += 3) {
      const dx = (points[at] ?? 0) - (values[at] ?? 0);
      const dy = (points[at + 1] ?? 0) - (values[at + 1] ?? 0);
      const dz = (points[at + 2] ?? 0) - (values[at + 2] ?? 0);
      const vx = (speeds[at] ?? 0) + speedShare * (dx * perUnit - (speeds[at] ?? 0));
      const vy = (speeds[at + 1] ?? 0) + speedShare * (dy * perUnit - (speeds[at + 1] ?? 0));
      speeds[at] = vx;
      speeds[at + 1] = vy;
      const follow = share(restHz + hzPerSpeed * Math.sqrt(vx * vx + vy * vy), seconds);
      values[at] = (values[at] ?? 0) + follow * dx;
      values[at + 1] = (values[at + 1] ?? 0) + follow * dy;
      values[at + 2] = (values[at + 2] ?? 0) + follow * dz;
    }
    return Float32Array.from(values);
  }

  #restart(points: Float32Array): Float32Array {
    this.#values = Float32Array.from(points);
    this.#speeds = new Float32Array(points.length);
    return Float32Array.from(points);
  }
}

/** Returns the share of a step that a low-pass filter at `hz` passes after `elapsedSeconds`. */
function share(hz: number, elapsedSeconds: number): number {
  const turn = 2 * Math.PI * hz * elapsedSeconds;
  return turn / (turn + 1);
}
