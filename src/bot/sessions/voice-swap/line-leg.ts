import type { Clock } from '../../../base/clock.ts';
import { Downlink } from './downlink.ts';
import type { LegCounts } from './room-stats.ts';
import { Uplink } from './uplink.ts';
import type { VoiceLine } from '../voice-line.ts';

/** The line's output is played for at most this many milliseconds after the last speech was sent to it. */
const DRAIN_MS_MAX = 700;

interface LineLegOptions {
  readonly line: VoiceLine;
  readonly clock: Clock;
  /** Receives the time at which a stretch of converted speech must start to play. */
  readonly onDue: (atMs: number) => void;
}

/** One of a member's lines, in both directions. Its creator disposes of it; that does not close the line. */
export class LineLeg implements Disposable {
  readonly line: VoiceLine;
  readonly up: Uplink;
  readonly down: Downlink;
  /** Resolves when the line has delivered everything. */
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

  /** Whether the line has ended, so that nothing can be sent to it. */
  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** Stops sending speech, and only sends the silence that makes the service deliver the rest. */
  finish(nowMs: number): void {
    if (this.#finishedMs !== undefined) return;
    this.#finishedMs = nowMs;
    this.up.finish();
  }

  /** Returns whether everything that the line delivered has been played. */
  isDone(nowMs: number): boolean {
    if (this.#finishedMs === undefined) return false;
    if (this.#hasEnded) return !this.down.isActive;
    const isFlushed = !this.up.isOpen && !this.down.isActive;
    return isFlushed || nowMs - this.#finishedMs > DRAIN_MS_MAX;
  }

  /** Whether `tick` must be called. */
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
