import { z } from 'zod';
import type { Database } from '../../../../db/database.ts';
import { getSetting, putSetting } from '../../../../db/queries/settings.ts';
import type { Queryable, Trx } from '../../../../db/schema.ts';
import type { Clock } from '../../../base/clock.ts';

const NAME = 'reconciliation.turn';

/**
 * With an owner, `untilMs` is the time at which the owner's turn ends. Without one, it is when the next turn is due.
 */
const turn = z.object({ owner: z.string().nullable(), untilMs: z.int() });

/** The turn to compare: a lock that at most one of the processes that share a database has at a time. */
export class Turn {
  readonly #db: Database;
  readonly #clock: Clock;
  readonly #owner: string;

  constructor(options: { readonly db: Database; readonly clock: Clock; readonly owner: string }) {
    this.#db = options.db;
    this.#clock = options.clock;
    this.#owner = options.owner;
  }

  /**
   * Takes the turn for `limitMs` if it has expired or is due, or if it is free and `isEarly` is set. Otherwise returns
   * the milliseconds until it ends or is due.
   */
  take(
    limitMs: number,
    options: { readonly isEarly: boolean; readonly intervalMs: number },
  ): Promise<number | 'taken'> {
    return this.#db.transaction('account', async (trx) => {
      const nowMs = this.#clock.now();
      const current = await this.#read(trx);
      const leftMs = (current?.untilMs ?? 0) - nowMs;
      // A time that is further away than a turn or a pause can last means that the clock was set back.
      const isOld = leftMs <= 0 || leftMs > Math.max(limitMs, options.intervalMs);
      const isFree = current?.owner === null && options.isEarly;
      if (!isOld && !isFree) return leftMs;
      await this.#write(trx, { owner: this.#owner, untilMs: nowMs + limitMs });
      return 'taken';
    });
  }

  /** Whether this process still has the turn. Must be called in the transaction that depends on the turn. */
  async isMine(trx: Trx): Promise<boolean> {
    return (await this.#read(trx))?.owner === this.#owner;
  }

  /** Gives the turn back. The next turn is due in `pauseMs`. */
  giveBack(pauseMs: number): Promise<void> {
    return this.#db.transaction('account', async (trx) => {
      if (await this.isMine(trx))
        await this.#write(trx, { owner: null, untilMs: this.#clock.now() + pauseMs });
    });
  }

  async #read(db: Queryable): Promise<z.infer<typeof turn> | undefined> {
    const text = await getSetting(db, NAME);
    return text === undefined ? undefined : turn.parse(JSON.parse(text));
  }

  #write(trx: Trx, next: z.infer<typeof turn>): Promise<void> {
    return putSetting(trx, NAME, JSON.stringify(next));
  }
}
