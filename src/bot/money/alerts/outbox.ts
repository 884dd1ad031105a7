import type { Clock, Timer } from '../../../base/clock.ts';
import type { Logger } from '../../../base/log.ts';
import { type Backoff, backoffMs } from '../../../base/retry.ts';

/** A queue in the database, of which several processes send. */
interface OutboxOptions<T> {
  readonly clock: Clock;
  readonly log: Logger;
  /** Takes the next that is due for a while, or settles it without sending; undefined when none is due. */
  readonly claim: (nowMs: number) => Promise<T | 'settled' | undefined>;
  /** Sends what was claimed and records it. */
  readonly send: (item: T, signal: AbortSignal) => Promise<void>;
  readonly nextDueAtMs: () => Promise<number | undefined>;
}

const IDLE_MS_MAX = 5_000;
const RETRY: Backoff = { delayMsFirst: 5_000, delayMsMax: 600_000 };
/** With the waits above about seven hours: an outage of the chat is outlasted. */
const ATTEMPTS_MAX = 50;

/** How long a claim lasts: longer than the deadline of a send. */
export const SEND_LEASE_MS = 60_000;
export const SEND_DEADLINE_MS = 20_000;

/** When to try again after `attempts` tries; null: give up. */
export function sendAgainAtMs(attempts: number, nowMs: number): number | null {
  return attempts >= ATTEMPTS_MAX ? null : nowMs + backoffMs(RETRY, attempts);
}

/** Sends what is due, one after the other, from `start` until it is disposed. */
export class Outbox<T> implements AsyncDisposable {
  readonly #options: OutboxOptions<T>;
  readonly #stopping = new AbortController();
  #started = false;
  #timer: Timer | undefined;
  #running: Promise<void> | undefined;
  #again = false;

  constructor(options: OutboxOptions<T>) {
    this.#options = options;
  }

  start(): void {
    this.#started = true;
    this.nudge();
  }

  /** Looks for what is due now. Does nothing before `start`. */
  nudge(): void {
    if (!this.#started || this.#stopping.signal.aborted) return;
    this.#again = true;
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined;
      if (this.#again) this.nudge();
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping.abort(new Error('The outbox stops'));
    this.#timer?.cancel();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { clock, log, nextDueAtMs } = this.#options;
    this.#timer?.cancel();
    let wakeInMs = IDLE_MS_MAX;
    try {
      while (this.#again && !this.#stopping.signal.aborted) {
        this.#again = false;
        await this.#sendDue();
      }
      const dueAtMs = await nextDueAtMs();
      wakeInMs = Math.min(IDLE_MS_MAX, Math.max(0, (dueAtMs ?? Infinity) - clock.now()));
    } catch (error) {
      log.error({ error }, 'Cannot look for alerts to tell, will try again');
    }
    if (this.#stopping.signal.aborted) return;
    this.#timer = clock.after(wakeInMs, () => this.nudge(), { background: true });
  }

  async #sendDue(): Promise<void> {
    const { clock, claim, send } = this.#options;
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      const item = await claim(clock.now());
      if (item === undefined) return;
      if (item !== 'settled') await send(item, signal);
    }
  }
}
