import { unreachable } from '../../../base/errors.ts';
import type { Clock, Timer } from '../../../base/clock.ts';

type Send = () => Promise<void>;

type State =
  /** Progress may be shown at once. */
  | { readonly kind: 'open' }
  | Waiting
  | Sending
  /** A final card was begun, or progress is of no use: none any more. */
  | { readonly kind: 'sealed' };

/** The interval is not over. What waits for it, if anything, gives way to anything newer. */
interface Waiting {
  readonly kind: 'waiting';
  readonly timer: Timer;
  next: Send | null;
}

/** Progress is on its way; the newest that came meanwhile is next. */
interface Sending {
  readonly kind: 'sending';
  next: Send | null;
}

/**
 * Keeps the edits of one card in order: one at a time, progress at most once per interval, and none after
 * the final card was begun.
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

  /** Whether nothing runs or waits, so that the lane may be forgotten. */
  get idle(): boolean {
    return this.#running === 0 && this.#state.kind !== 'waiting';
  }

  /** Sends progress as soon as it may; of several that wait only the newest is sent. `send` must not throw. */
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

  /** Runs `work` after what is on its way. Progress that waits is dropped for it; newer may follow at once. */
  interpose<T>(work: () => Promise<T>): Promise<T> {
    if (this.#state.kind === 'waiting') this.#state.timer.cancel();
    return this.#state.kind === 'sealed' ? this.#enqueue(work) : this.#begin(work, 0);
  }

  /** Ends all progress; what waits is dropped. */
  seal(): void {
    if (this.#state.kind === 'waiting') this.#state.timer.cancel();
    this.#state = { kind: 'sealed' };
  }

  /** Seals the lane and waits for what is on its way. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.seal();
    await this.#tail;
  }

  /** Seals the lane and runs `work` after whatever is still on its way. */
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
