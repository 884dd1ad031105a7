import type { Clock } from '../../../base/clock.ts';
import type { Arrival } from './speech-inbox.ts';

const KEPT_MS = 1500;
const KEPT_MAX = 150;
const PRIMED = 5;

/** The packets that a member sent in the last 1.5 s and that no line has received yet. */
export class KeptSpeech {
  readonly #clock: Clock;
  #waiting: Arrival[] = [];
  #last: Arrival[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get isEmpty(): boolean {
    return this.#waiting.length === 0;
  }

  /** The milliseconds since the oldest waiting packet arrived. */
  get lengthMs(): number {
    const first = this.#waiting[0];
    return first ? this.#clock.monotonic() - first.arrivedMs : 0;
  }

  /** The last packets that were taken. A decoder that first decodes them can continue the speech. */
  get before(): readonly Arrival[] {
    return this.#last;
  }

  push(arrival: Arrival): void {
    this.#waiting.push(arrival);
    while (this.#waiting.length > KEPT_MAX || this.lengthMs > KEPT_MS) this.#waiting.shift();
  }

  take(): Arrival | undefined {
    const first = this.#waiting.shift();
    if (!first) return undefined;
    this.#last.push(first);
    if (this.#last.length > PRIMED) this.#last.shift();
    return first;
  }

  clear(): void {
    this.#waiting = [];
    this.#last = [];
  }
}
