import type { Clock, Timer } from '../../src/base/clock.ts';

interface Pending {
  readonly atMs: number;
  readonly order: number;
  readonly fire: () => void;
}

/** A clock that stands still until `advance` moves it; timers fire in the order of their times. */
export class FakeClock implements Clock {
  #nowMs: number;
  #order = 0;
  readonly #pending = new Set<Pending>();

  constructor(startMs: number = Date.UTC(2026, 0, 1)) {
    this.#nowMs = startMs;
  }

  now(): number {
    return this.#nowMs;
  }

  monotonic(): number {
    return this.#nowMs;
  }

  after(delayMs: number, fire: () => void): Timer {
    const pending: Pending = { atMs: this.#nowMs + Math.max(delayMs, 0), order: this.#order++, fire };
    this.#pending.add(pending);
    return { cancel: () => void this.#pending.delete(pending) };
  }

  /** The number of waiting timers. */
  get pendingTimers(): number {
    return this.#pending.size;
  }

  /** The time until the next timer fires, in milliseconds; infinite if there is none. */
  get nextMs(): number {
    const next = this.#nextUntil(Infinity);
    return next ? Math.max(0, next.atMs - this.#nowMs) : Infinity;
  }

  /**
   * Advances the time by `ms`. After each timer the event loop runs once, so that timers set as a result can
   * fire in the same call.
   */
  async advance(ms: number): Promise<void> {
    const endMs = this.#nowMs + ms;
    await turn();
    for (let next = this.#nextUntil(endMs); next; next = this.#nextUntil(endMs)) {
      this.#pending.delete(next);
      this.#nowMs = Math.max(this.#nowMs, next.atMs);
      next.fire();
      await turn();
    }
    this.#nowMs = endMs;
    await turn();
  }

  #nextUntil(endMs: number): Pending | undefined {
    let first: Pending | undefined;
    for (const pending of this.#pending) {
      if (pending.atMs > endMs) continue;
      if (
        !first ||
        pending.atMs < first.atMs ||
        (pending.atMs === first.atMs && pending.order < first.order)
      ) {
        first = pending;
      }
    }
    return first;
  }
}

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
