/**
 * The position, in seconds, of the decoder that takes longest to play a track. Such a decoder fills gaps, and plays
 * every sound packet completely, even if the container allows less time for it.
 */
export class Playhead {
  #seconds = 0;

  get seconds(): number {
    return this.#seconds;
  }

  /** Plays a video frame, or another sample whose duration is only known from the container. */
  show(fromSeconds: number, seconds: number): void {
    this.#seconds = Math.max(this.#seconds, fromSeconds + seconds);
  }

  /** Plays sound. It is always played completely, even if it should start before the previous sound has ended. */
  play(fromSeconds: number, seconds: number): void {
    this.#seconds = Math.max(this.#seconds, fromSeconds) + seconds;
  }
}
