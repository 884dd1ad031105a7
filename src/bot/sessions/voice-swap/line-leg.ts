import type { Clock } from '../../../base/clock.ts';
import { Downlink } from './downlink.ts';
import type { LegCounts } from './room-stats.ts';
import { Uplink } from './uplink.ts';
import type { VoiceLine } from '../voice-line.ts';

/** What the service still says after nothing more was sent to it is heard for this long at most. */
const DRAIN_MS_MAX = 700;

interface LineLegOptions {
  readonly line: VoiceLine;
  readonly clock: Clock;
  /** Told the moment when a stretch of converted speech should begin to be played. */
  readonly onDue: (atMs: number) => void;
}

/** One line of a member, there and back. Whoever made it disposes it, which does not close the line. */
export class LineLeg implements Disposable {
  readonly line: VoiceLine;
  readonly up: Uplink;
  readonly down: Downlink;
  /** Resolves when nothing more is to be expected of it. */
  readonly done: Promise<void>;
  readonly #resolveDone: () => void;
  #hasEnded = false;
  #finishedMs: number | undefined;

  private constructor({ line, clock, onDue }: LineLegOptions, up: Uplink) {
    this.line = line;
    this.up = up;
    this.down = new Downlink(line, clock, onDue);
    const { promise, resolve } = Promise.withResolvers<void>();
    this.done = promise;
    this.#resolveDone = resolve;
    line.onEnd(() => {
      this.#hasEnded = true;
    });
  }

  static async open(options: LineLegOptions): Promise<LineLeg> {
    return new LineLeg(options, await Uplink.open(options.line, options.clock));
  }

  get counts(): LegCounts {
    return { ...this.up.counts, ...this.down.counts };
  }

  /** Whether the line is over: nothing can be sent to it. */
  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** Nothing more is sent to it but what makes it give out the rest. */
  finish(nowMs: number): void {
    if (this.#finishedMs !== undefined) return;
    this.#finishedMs = nowMs;
    this.up.finish();
  }

  /** Whether it has said its last word. */
  isDone(nowMs: number): boolean {
    if (this.#finishedMs === undefined) return false;
    if (this.#hasEnded) return !this.down.isActive;
    const isFlushed = !this.up.isOpen && !this.down.isActive;
    return isFlushed || nowMs - this.#finishedMs > DRAIN_MS_MAX;
  }

  /** Whether ticks are needed. */
  get isActive(): boolean {
    return this.up.isOpen || this.down.isActive || this.#finishedMs !== undefined;
  }

  tick(nowMs: number): void {
    if (!this.#hasEnded) this.up.tick(nowMs);
  }

  [Symbol.dispose](): void {
    this.up[Symbol.dispose]();
    this.#resolveDone();
  }
}
