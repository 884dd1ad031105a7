import type { Clock, Timer } from '../../../base/clock.ts';

/** The longest time that packets wait for a client to be ready after a commit, in milliseconds. */
const HOLD_MS_MAX = 1_000;
/** The maximum number of packets that wait for a client: those of twenty speakers in one second. */
const HELD_MAX = 1_000;

interface Follower {
  /** The transition for which the client must report that it is ready. */
  readonly transitionId: number;
  readonly held: (() => void)[];
  readonly timer: Timer;
}

/**
 * Clients that received a commit and have not reported that they are ready. Discord's own clients use the new keys only
 * when everybody is ready, but davey uses them at once. Therefore, packets to a client wait until the client
 * is ready. Otherwise, the client would lose packets for a reason that does not exist on Discord.
 */
export class Followers {
  readonly #clock: Clock;
  readonly #followers = new Map<string, Follower>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Records that a commit was sent to a client. */
  expect(userId: string, transitionId: number): void {
    const before = this.#followers.get(userId);
    before?.timer.cancel();
    const timer = this.#clock.after(HOLD_MS_MAX, () => this.release(userId), { background: true });
    this.#followers.set(userId, { transitionId, held: before?.held ?? [], timer });
  }

  /** Records that a client is ready for a transition. */
  ready(userId: string, transitionId: number): void {
    if (this.#followers.get(userId)?.transitionId === transitionId) this.release(userId);
  }

  /** Sends a packet now, or as soon as the client is ready. */
  send(userId: string, send: () => void): void {
    const follower = this.#followers.get(userId);
    if (follower && follower.held.length < HELD_MAX) follower.held.push(send);
    else send();
  }

  /** Stops waiting for a client. */
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
