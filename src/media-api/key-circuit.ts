import type { Clock } from '../base/clock.ts';
import type { Logger } from '../base/log.ts';
import { MediaApiRefusal } from './errors.ts';

/** Whether the service accepts the key, according to its latest answer. */
export type KeyState = 'accepted' | 'refused';

/**
 * Prevents a rejected key (401) from being used repeatedly: until it works again, only one probe per interval is sent.
 * A different key may be used at once.
 */
export class KeyCircuit {
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #probeIntervalMs: number;
  readonly #onChange: (state: KeyState) => void;
  #refused: { readonly key: string; readonly probeAtMs: number } | undefined;

  /** `onChange` is called once when a key is rejected and once when a key works again, and must return at once. */
  constructor(clock: Clock, logger: Logger, probeIntervalMs: number, onChange: (state: KeyState) => void) {
    this.#clock = clock;
    this.#logger = logger;
    this.#probeIntervalMs = probeIntervalMs;
    this.#onChange = onChange;
  }

  /** Throws the last refusal (401) again unless `key` may be used now. Sends no request. */
  assertUsable(key: string, action: string): void {
    const refused = this.#refused;
    if (refused?.key !== key) return;
    const waitMs = refused.probeAtMs - this.#clock.monotonic();
    if (waitMs > 0) throw unauthorized(action, waitMs);
  }

  /** Does the same as `assertUsable`, and uses up the probe if one is due. */
  pass(key: string, action: string): void {
    this.assertUsable(key, action);
    if (this.#refused?.key === key) this.#open(key);
  }

  /** Records that the service accepted `key`. */
  accepted(key: string): void {
    if (this.#refused?.key !== key) return;
    this.#refused = undefined;
    this.#logger.info({}, 'The service accepts the API key again');
    this.#onChange('accepted');
  }

  /** Records that the service answered `key` with 401. */
  refused(key: string): void {
    if (this.#refused?.key !== key) {
      const fields = { probeIntervalMs: this.#probeIntervalMs };
      this.#logger.error(fields, 'The service refuses the API key: requests stop, except for probes');
      this.#onChange('refused');
    }
    this.#open(key);
  }

  #open(key: string): void {
    this.#refused = { key, probeAtMs: this.#clock.monotonic() + this.#probeIntervalMs };
  }
}

function unauthorized(action: string, retryAfterMs: number): MediaApiRefusal {
  return new MediaApiRefusal(action, { status: 401, code: 'unauthorized', local: true, retryAfterMs });
}
