import type { Clock, Timer } from '../../../../base/clock.ts';
import { MINUTE_MS, RECHECK_MS, TICK_MS, WARNING_MS } from './voice-limits.ts';

/** Receives the events of a session's timers. */
interface TimesListener {
  /** Called several times a second. */
  tick(): void;
  /** The figures on the panel must be updated. */
  figures(): void;
  /** The stored consents must be checked again. */
  recheck(): void;
  /** One minute is left. */
  nearEnd(): void;
  ended(why: 'time_up' | 'empty'): void;
}

interface SessionTimesOptions {
  readonly clock: Clock;
  readonly minutes: number;
  /** How many milliseconds the channel may be empty. */
  readonly emptyMs: number;
  /** Returns whether the channel is empty, as far as the bot currently knows. */
  readonly isEmpty: () => boolean;
  readonly listener: TimesListener;
}

/** The interval between updates of the figures while a line is open. */
const FIGURES_MS = 5_000;

/** A session's timers: for its end, for the warning before the end, and for how long its channel may be empty. */
export class SessionTimes {
  readonly #options: SessionTimesOptions;
  #endsAtMs: number;
  #isWarned = false;
  #emptySinceMs: number | null = null;
  #figuresAtMs = 0;
  #recheckedAtMs = 0;
  #timer: Timer | null = null;
  #isStopped = false;

  constructor(options: SessionTimesOptions) {
    this.#options = options;
    this.#endsAtMs = options.clock.now() + options.minutes * MINUTE_MS;
  }

  /** When the session ends unless it is ended earlier or extended (epoch milliseconds). */
  get endsAtMs(): number {
    return this.#endsAtMs;
  }

  get isOver(): boolean {
    return this.#leftMs <= 0;
  }

  /** The remaining minutes, rounded up, and at least 1. */
  get minutesLeft(): number {
    return Math.max(1, Math.ceil(this.#leftMs / MINUTE_MS));
  }

  /** Checks the times repeatedly until `stop` is called. */
  start(): void {
    if (!this.#isStopped) this.#tick();
  }

  stop(): void {
    this.#isStopped = true;
    this.#timer?.cancel();
  }

  /** Extends the session by its original length. The warning is repeated before the new end. */
  prolong(): void {
    this.#endsAtMs += this.#options.minutes * MINUTE_MS;
    this.#isWarned = false;
  }

  get #leftMs(): number {
    return this.#endsAtMs - this.#options.clock.now();
  }

  #tick(): void {
    const { clock, listener, emptyMs } = this.#options;
    this.#timer = clock.after(TICK_MS, () => this.#tick(), { background: true });
    if (this.isOver) return listener.ended('time_up');
    if (this.#leftMs <= WARNING_MS && !this.#isWarned) {
      this.#isWarned = true;
      listener.nearEnd();
    }
    const nowMs = clock.monotonic();
    this.#emptySinceMs = this.#options.isEmpty() ? (this.#emptySinceMs ?? nowMs) : null;
    if (this.#emptySinceMs !== null && nowMs - this.#emptySinceMs >= emptyMs) return listener.ended('empty');
    listener.tick();
    if (nowMs - this.#recheckedAtMs >= RECHECK_MS) {
      this.#recheckedAtMs = nowMs;
      listener.recheck();
    }
    if (nowMs - this.#figuresAtMs >= FIGURES_MS) {
      this.#figuresAtMs = nowMs;
      listener.figures();
    }
  }
}
