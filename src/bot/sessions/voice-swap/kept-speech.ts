import type { Clock } from '../../../base/clock.ts';
import type { Arrival } from './speech-inbox.ts';

const KEPT_MS = 1500;
const KEPT_MAX = 150;
const PRIMED = 5;

/** A member's last packets that no line has had yet: of the last second and a half. */
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

  /** From the first packet's arrival until now. */
  get lengthMs(): number {
    const first = this.#waiting[0];
    return first ? this.#clock.monotonic() - first.arrivedMs : 0;
  }

  /** What was taken last, for a decoder that is to go on from there. */
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
