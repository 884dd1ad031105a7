import type { RtpHeader } from './rtp-packet.ts';

/** How long a frame may wait for its keys, in milliseconds, and how many frames may wait. */
export const HELD_MS_MAX = 400;
export const HELD_MAX = 50;

/** A member's frame that could not be decrypted yet. */
export interface HeldFrame {
  readonly userId: string;
  readonly header: RtpHeader;
  readonly frame: Buffer;
  readonly why: 'undecryptable' | 'still_encrypted';
  readonly atMs: number;
}

/**
 * Holds frames that are encrypted with keys that the bot does not have yet. Frames arrive by UDP, and keys over another
 * connection that may be slower. Frames that have waited too long or exceed the limit are dropped, oldest first.
 */
export class HeldFrames {
  readonly #giveUp: (frame: HeldFrame) => void;
  #frames: HeldFrame[] = [];

  constructor(giveUp: (frame: HeldFrame) => void) {
    this.#giveUp = giveUp;
  }

  hold(frame: HeldFrame): void {
    this.prune(frame.atMs);
    this.#frames.push(frame);
    if (this.#frames.length > HELD_MAX) this.#giveUpFirst(1);
  }

  /** Removes and returns all frames that may still be decrypted, in order of arrival. */
  take(nowMs: number): readonly HeldFrame[] {
    this.prune(nowMs);
    const frames = this.#frames;
    this.#frames = [];
    return frames;
  }

  prune(nowMs: number): void {
    const kept = this.#frames.findIndex(({ atMs }) => nowMs - atMs <= HELD_MS_MAX);
    this.#giveUpFirst(kept < 0 ? this.#frames.length : kept);
  }

  clear(): void {
    this.#giveUpFirst(this.#frames.length);
  }

  #giveUpFirst(count: number): void {
    for (const frame of this.#frames.splice(0, count)) this.#giveUp(frame);
  }
}
