/**
 * The position, in seconds, of the decoder that plays a track for the longest time. Such a decoder fills gaps, and plays
 * every packet of sound completely, even if the container gives it less time.
 */
export class Playhead {
  #seconds = 0;

  get seconds(): number {
    return this.#seconds;
  }

  /** Plays a picture, or another sample whose duration is only known from the container. */
  show(fromSeconds: number, seconds: number): void {
    this.#seconds = Math.max(this.#seconds, fromSeconds + seconds);
  }

  /** Plays sound, which lasts equally long wherever it starts. */
  play(fromSeconds: number, seconds: number): void {
    this.#seconds = Math.max(this.#seconds, fromSeconds) + seconds;
  }
}
