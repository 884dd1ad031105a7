/**
 * Where the decoder of a track is that makes the most of it: it fills gaps, and plays every packet of sound whole,
 * also where the container allows it less time. In seconds.
 */
export class Playhead {
  #seconds = 0;

  get seconds(): number {
    return this.#seconds;
  }

  /** A picture, or anything else of which the clock alone tells the length. */
  show(fromSeconds: number, seconds: number): void {
    this.#seconds = Math.max(this.#seconds, fromSeconds + seconds);
  }

  /** Sound that lasts so long wherever it begins. */
  play(fromSeconds: number, seconds: number): void {
    this.#seconds = Math.max(this.#seconds, fromSeconds) + seconds;
  }
}
