import type { Clock } from '../../../base/clock.ts';

/** An event in the demo. */
interface TranscriptLine {
  /** Milliseconds since the start of the demo. */
  readonly atMs: number;
  /** The actor: a member, Discord, the bot or the service. */
  readonly who: string;
  readonly what: string;
}

const WHO_WIDTH = 9;

/** Records all events in the demo, and prints each one at once if `print` is given. */
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

  /** Prints the title of a scene. */
  scene(title: string): void {
    this.#print?.(`\n${title}\n`);
  }

  /** Leaves out the events of `who` while `work` runs. */
  async without<T>(who: string, work: () => Promise<T>): Promise<T> {
    this.#leftOut = who;
    try {
      return await work();
    } finally {
      this.#leftOut = undefined;
    }
  }

  add(who: string, what: string): void {
    if (who === this.#leftOut) return;
    const atMs = Math.round(this.#clock.monotonic() - this.#startMs);
    this.#lines.push({ atMs, who, what });
    this.#print?.(`  ${(atMs / 1000).toFixed(2).padStart(6)} s  ${who.padEnd(WHO_WIDTH)} ${what}\n`);
  }
}
