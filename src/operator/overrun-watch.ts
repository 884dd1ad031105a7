import type { Database } from '../../db/database.ts';
import { listOverrunWatches } from '../../db/queries/overruns.ts';
import type { Clock, Timer } from '../base/clock.ts';
import type { Logger } from '../base/log.ts';
import type { Alarms } from './alarms.ts';

export interface OverrunWatchOptions {
  readonly db: Database;
  readonly clock: Clock;
  readonly log: Logger;
  readonly alarms: Alarms;
}

const LOOK_MS = 30_000;

/**
 * Tells the operator while a charge far above its hold waits for somebody to look at it. Every process reads what the
 * ledger noted, so that no crash loses it; the alert itself is raised once for all of them.
 */
export class OverrunWatch implements AsyncDisposable {
  readonly #options: OverrunWatchOptions;
  #timer: Timer | undefined;
  #looking: Promise<void> = Promise.resolve();
  #isDisposed = false;

  constructor(options: OverrunWatchOptions) {
    this.#options = options;
  }

  /** Looks now, and from now on every half minute. */
  start(): void {
    this.#lookIn(0);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isDisposed = true;
    this.#timer?.cancel();
    await this.#looking;
  }

  #lookIn(delayMs: number): void {
    if (this.#isDisposed) return;
    const look = (): void => {
      this.#looking = this.#look().then(() => this.#lookIn(LOOK_MS));
    };
    this.#timer = this.#options.clock.after(delayMs, look, { background: true });
  }

  async #look(): Promise<void> {
    const { db, alarms, log } = this.#options;
    try {
      const [oldest] = await listOverrunWatches(db.kysely, { limit: 1 });
      if (!oldest) return await alarms.end('overrun');
      const { guild_id: guildId, capability, held_micros: held, charged_micros: charged } = oldest;
      await alarms.raise({ kind: 'overrun', guildId, capability, held, charged });
    } catch (error) {
      log.error({ error }, 'Cannot look for charges far above their holds, will try again');
    }
  }
}
