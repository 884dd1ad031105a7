import type { Clock, Timer } from '../../../../base/clock.ts';
import type { Logger } from '../../../../base/log.ts';
import type { MicroUsd } from '../../../../base/money.ts';

export interface ChargeWaitOptions {
  readonly costOf: (paidId: string) => Promise<{ readonly charged: MicroUsd | null } | undefined>;
  readonly clock: Clock;
  readonly log: Logger;
  readonly limits: { readonly chargeMs: number };
}

const LOOK_MS = 1_000;

/** Waits for the charge of an ended session. Calls back once, with null if the charge is not known in time. */
export class ChargeWait implements Disposable {
  readonly #options: ChargeWaitOptions;
  readonly #paidId: string;
  readonly #untilMs: number;
  #onKnown: ((charged: MicroUsd | null) => void) | null;
  #timer: Timer;

  constructor(paidId: string, options: ChargeWaitOptions, onKnown: (charged: MicroUsd | null) => void) {
    const { clock, limits } = options;
    this.#options = options;
    this.#paidId = paidId;
    this.#untilMs = clock.monotonic() + limits.chargeMs;
    this.#onKnown = onKnown;
    this.#timer = this.#lookSoon();
  }

  [Symbol.dispose](): void {
    this.#onKnown = null;
    this.#timer.cancel();
  }

  #lookSoon(): Timer {
    return this.#options.clock.after(LOOK_MS, () => void this.#look(), { background: true });
  }

  async #look(): Promise<void> {
    const { costOf, clock, log } = this.#options;
    const cost = await costOf(this.#paidId).catch((error: unknown) => {
      log.warn({ error }, 'Cannot read the charge of a live swap');
    });
    const charged = cost?.charged ?? null;
    if (charged === null && clock.monotonic() < this.#untilMs) {
      if (this.#onKnown) this.#timer = this.#lookSoon();
      return;
    }
    this.#onKnown?.(charged);
    this.#onKnown = null;
  }
}
