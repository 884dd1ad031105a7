import type { Database } from '../../../../db/database.ts';
import { listOverrunWatches } from '../../../../db/queries/overruns.ts';
import type { Clock, Timer } from '../../../base/clock.ts';
import type { Logger } from '../../../base/log.ts';
import type { Alarms } from './alarms.ts';

interface OverrunWatchOptions {
  readonly db: Database;
  readonly clock: Clock;
  readonly log: Logger;
  readonly alarms: Alarms;
}

const LOOK_MS = 30_000;

/**
 * Alerts the operator while a charge far above its hold waits for a review. Every process reads the charges that the
 * ledger recorded, so that a crash cannot lose a charge; only one alert is raised for all processes together.
 */
export class OverrunWatch implements AsyncDisposable {
  readonly #options: OverrunWatchOptions;
  #timer: Timer | undefined;
  #looking: Promise<void> = Promise.resolve();
  #isDisposed = false;

  constructor(options: OverrunWatchOptions) {
    this.#options = options;
  }

  /** Checks now, and then every half minute. */
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
      log.error({ error }, 'Cannot check for charges far above their holds, will try again');
    }
  }
}
