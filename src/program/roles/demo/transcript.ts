import type { Clock } from '../../../base/clock.ts';

/** One line of what happened, for people and for machines. */
interface TranscriptLine {
  /** Milliseconds since the demo began. */
  readonly atMs: number;
  /** Who or what: a member, Discord, the bot, the service. */
  readonly who: string;
  readonly what: string;
}

const WHO_WIDTH = 9;

/** Tells what happens as it happens: as text, or, for machines, kept until the end. */
export class Transcript {
  readonly #clock: Clock;
  readonly #startMs: number;
  readonly #print: ((text: string) => void) | undefined;
  readonly #lines: TranscriptLine[] = [];
  #leftOut: string | undefined;

  constructor(clock: Clock, print?: (text: string) => void) {
    this.#clock = clock;
    this.#startMs = clock.monotonic();
    this.#print = print;
  }

  get lines(): readonly TranscriptLine[] {
    return this.#lines;
  }

  scene(title: string): void {
    this.#print?.(`\n${title}\n`);
  }

  /** Leaves out, while `work` runs, what `who` does: it was told before. */
  async without<T>(who: string, work: () => Promise<T>): Promise<T> {
    this.#leftOut = who;
    try {
      return await work();
    } finally {
      this.#leftOut = undefined;
    }
  }

  tell(who: string, what: string): void {
    if (who === this.#leftOut) return;
    const atMs = Math.round(this.#clock.monotonic() - this.#startMs);
    this.#lines.push({ atMs, who, what });
    this.#print?.(`  ${(atMs / 1000).toFixed(2).padStart(6)} s  ${who.padEnd(WHO_WIDTH)} ${what}\n`);
  }
}
