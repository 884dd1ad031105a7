/** Sends a picture. Calls `onSent` when it has left or never will. Returns false if it cannot be sent and is dropped. */
type SendFrame = (frame: Buffer, onSent: () => void) => boolean;

/**
 * Sends pictures without a queue. It sends one at a time, and at most `aheadMax` before the other side answers. Of the
 * pictures that arrive meanwhile it keeps only the newest.
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

  /** Sends a picture, or lets it replace the one that waits. */
  push(frame: Buffer): void {
    this.#newest = frame;
    this.#next();
  }

  /** The other side has received one more picture. */
  answered(): void {
    this.#unanswered = Math.max(0, this.#unanswered - 1);
    this.#next();
  }

  /** Drops the picture that waits. */
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
