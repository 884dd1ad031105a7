/**
 * Sends a picture. Calls `onSent` once the picture has been sent or can no longer be sent. Returns false if the picture
 * was dropped.
 */
type SendFrame = (frame: Buffer, onSent: () => void) => boolean;

/**
 * Sends pictures without a queue: one at a time, and at most `aheadMax` before the receiver acknowledges one. It keeps
 * only the newest of the pictures that arrive while it cannot send.
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

  /** Sends a picture. If it cannot be sent now, it waits, replacing any picture that was already waiting. */
  push(frame: Buffer): void {
    this.#newest = frame;
    this.#next();
  }

  /** Records that the receiver has acknowledged one more picture. */
  answered(): void {
    this.#unanswered = Math.max(0, this.#unanswered - 1);
    this.#next();
  }

  /** Drops the waiting picture. */
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
