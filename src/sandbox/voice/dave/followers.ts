import type { Clock, Timer } from '../../../base/clock.ts';

/** How long packets wait at most for a client to follow. */
const HOLD_MS_MAX = 1_000;
/** Of twenty speakers in a second. */
const HELD_MAX = 1_000;

interface Follower {
  /** Of the transition that the client is to report ready for. */
  readonly transitionId: number;
  readonly held: (() => void)[];
  readonly timer: Timer;
}

/**
 * Clients that were told of a commit and have not said that they are ready. Discord's own clients speak with the new keys
 * only when everybody is; davey does at once. So packets to a client wait the moment that it takes to follow: they
 * would be lost by it for no reason that exists on Discord.
 */
export class Followers {
  readonly #clock: Clock;
  readonly #followers = new Map<string, Follower>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** A client was told of a commit. */
  expect(userId: string, transitionId: number): void {
    const before = this.#followers.get(userId);
    before?.timer.cancel();
    const timer = this.#clock.after(HOLD_MS_MAX, () => this.release(userId), { background: true });
    this.#followers.set(userId, { transitionId, held: before?.held ?? [], timer });
  }

  /** A client is ready for a transition. */
  ready(userId: string, transitionId: number): void {
    if (this.#followers.get(userId)?.transitionId === transitionId) this.release(userId);
  }

  /** Sends now, or as soon as the client has followed. */
  send(userId: string, send: () => void): void {
    const follower = this.#followers.get(userId);
    if (follower && follower.held.length < HELD_MAX) follower.held.push(send);
    else send();
  }

  /** Does not wait for a client any more. */
  release(userId: string): void {
    const follower = this.#followers.get(userId);
    if (!follower) return;
    follower.timer.cancel();
    this.#followers.delete(userId);
    for (const send of follower.held) send();
  }

  close(): void {
    for (const { timer } of this.#followers.values()) timer.cancel();
    this.#followers.clear();
  }
}
