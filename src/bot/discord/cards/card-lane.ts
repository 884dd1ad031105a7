import { unreachable } from '../../../base/errors.ts';
import type { Clock, Timer } from '../../../base/clock.ts';

type Send = () => Promise<void>;

type State =
  /** Progress can be sent at once. */
  | { readonly kind: 'open' }
  | Waiting
  | Sending
  /** A final card has started, or progress can no longer be shown, so no more progress is sent. */
  | { readonly kind: 'sealed' };

/** The interval has not passed yet. A newer update replaces the waiting one. */
interface Waiting {
  readonly kind: 'waiting';
  readonly timer: Timer;
  next: Send | null;
}

/** Progress is being sent; the newest update that arrives in the meantime is next. */
interface Sending {
  readonly kind: 'sending';
  next: Send | null;
}

/**
 * Orders the edits of one card: one at a time, progress at most once per interval, and no progress after the final
 * card has started.
 */
export class CardLane implements AsyncDisposable {
  readonly #clock: Clock;
  readonly #intervalMs: number;
  #state: State = { kind: 'open' };
  #tail: Promise<void> = Promise.resolve();
  #running = 0;

  constructor(clock: Clock, intervalMs: number) {
    this.#clock = clock;
    this.#intervalMs = intervalMs;
  }

  /** Whether nothing is running or waiting, so that the lane can be removed. */
  get idle(): boolean {
    return this.#running === 0 && this.#state.kind !== 'waiting';
  }

  /**
   * Sends progress as soon as possible. Only the newest of several waiting updates is sent. `send` must not throw.
   */
  offer(send: Send): void {
    switch (this.#state.kind) {
      case 'open':
        return this.#send(send);
      case 'waiting':
      case 'sending':
        this.#state.next = send;
        return;
      case 'sealed':
        return;
      default:
        unreachable(this.#state);
    }
  }

  /** Runs `work` after the current edit. Waiting progress is dropped; newer progress may follow at once. */
  interpose<T>(work: () => Promise<T>): Promise<T> {
    if (this.#state.kind === 'waiting') this.#state.timer.cancel();
    return this.#state.kind === 'sealed' ? this.#enqueue(work) : this.#begin(work, 0);
  }

  /** Ends all progress and drops any waiting update. */
  seal(): void {
    if (this.#state.kind === 'waiting') this.#state.timer.cancel();
    this.#state = { kind: 'sealed' };
  }

  /** Seals the lane and waits for the current edit. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.seal();
    await this.#tail;
  }

  /** Seals the lane and runs `work` after the current edit. */
  final<T>(work: () => Promise<T>): Promise<T> {
    this.seal();
    return this.#enqueue(work);
  }

  #send(send: Send): void {
    void this.#begin(send, this.#intervalMs);
  }

  #begin<T>(send: () => Promise<T>, intervalMs: number): Promise<T> {
    const sending: Sending = { kind: 'sending', next: null };
    this.#state = sending;
    const nextAtMs = this.#clock.monotonic() + intervalMs;
    const sent = this.#enqueue(send);
    const proceed = (): void => {
      if (this.#state === sending) this.#wait(nextAtMs, sending.next);
    };
    sent.then(proceed, proceed);
    return sent;
  }

  #wait(untilMs: number, next: Send | null): void {
    const delayMs = untilMs - this.#clock.monotonic();
    if (delayMs <= 0) {
      this.#state = { kind: 'open' };
      if (next) this.#send(next);
      return;
    }
    const due = (): void => {
      if (this.#state !== waiting) return;
      this.#state = { kind: 'open' };
      if (waiting.next) this.#send(waiting.next);
    };
    const timer = this.#clock.after(delayMs, due, { background: true });
    const waiting: Waiting = { kind: 'waiting', timer, next };
    this.#state = waiting;
  }

  #enqueue<T>(work: () => Promise<T>): Promise<T> {
    this.#running += 1;
    const result = this.#tail.then(work);
    const end = (): void => {
      this.#running -= 1;
    };
    this.#tail = result.then(end, end);
    return result;
  }
}
