/** Sends a picture and calls `onSent` once it has left, or never will; false: it cannot be sent, and is dropped. */
type SendFrame = (frame: Buffer, onSent: () => void) => boolean;

/**
 * A way for pictures on which nothing queues: one is on its way at a time, at most `aheadMax` are not answered yet, and
 * of those that come meanwhile only the newest is kept.
 */
export class FrameLane {
  readonly #send: SendFrame;
  readonly #aheadMax: number;
  #newest: Buffer | null = null;
  #isSending = false;
  #unanswered = 0;

  constructor(send: SendFrame, aheadMax: number = Infinity) {
    this.#send = send;
    this.#aheadMax = aheadMax;
  }

  /** Takes the place of one that still waits. */
  push(frame: Buffer): void {
    this.#newest = frame;
    this.#next();
  }

  /** The other side has one more of those that were sent. */
  answered(): void {
    this.#unanswered = Math.max(0, this.#unanswered - 1);
    this.#next();
  }

  /** Forgets the one that waits. */
  clear(): void {
    this.#newest = null;
  }

  #next(): void {
    const frame = this.#newest;
    if (!frame || this.#isSending || this.#unanswered >= this.#aheadMax) return;
    this.#newest = null;
    this.#isSending = true;
    this.#unanswered += 1;
    if (this.#send(frame, () => this.#sent())) return;
    this.#isSending = false;
    this.#unanswered -= 1;
  }

  #sent(): void {
    this.#isSending = false;
    this.#next();
  }
}
