import { z } from 'zod';
import type { Database } from '../../../../db/database.ts';
import { getSetting, putSetting } from '../../../../db/queries/settings.ts';
import type { Queryable, Trx } from '../../../../db/schema.ts';
import type { Clock } from '../../../base/clock.ts';

const NAME = 'reconciliation.turn';

/** With an owner: theirs until then. Without: nobody's, and next due then. */
const turn = z.object({ owner: z.string().nullable(), untilMs: z.int() });

/** Who compares just now, of all processes that share a database, and when it is due again. */
export class Turn {
  readonly #db: Database;
  readonly #clock: Clock;
  readonly #owner: string;

  constructor(options: { readonly db: Database; readonly clock: Clock; readonly owner: string }) {
    this.#db = options.db;
    this.#clock = options.clock;
    this.#owner = options.owner;
  }

  /** Takes the turn for `limitMs`, if nobody has it and it is due or `isEarly`; else, in how many milliseconds to ask again. */
  take(
    limitMs: number,
    options: { readonly isEarly: boolean; readonly intervalMs: number },
  ): Promise<number | 'taken'> {
    return this.#db.transaction('account', async (trx) => {
      const nowMs = this.#clock.now();
      const current = await this.#read(trx);
      const leftMs = (current?.untilMs ?? 0) - nowMs;
      // Longer than any turn or pause lasts: the clock was set back.
      const isOld = leftMs <= 0 || leftMs > Math.max(limitMs, options.intervalMs);
      const isFree = current?.owner === null && options.isEarly;
      if (!isOld && !isFree) return leftMs;
      await this.#write(trx, { owner: this.#owner, untilMs: nowMs + limitMs });
      return 'taken';
    });
  }

  /** Whether the turn is still this process's; part of the transaction that is only right if so. */
  async isMine(trx: Trx): Promise<boolean> {
    return (await this.#read(trx))?.owner === this.#owner;
  }

  /** Gives the turn back, due again in `pauseMs`. */
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
