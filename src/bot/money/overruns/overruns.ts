import type { Database } from '../../../../db/database.ts';
import { listOverrunWatches, listOverruns } from '../../../../db/queries/overruns.ts';
import type { Queryable } from '../../../../db/schema.ts';
import type { HoldRow } from '../../../../db/schema/ledger.ts';
import type { OverrunWatch } from '../../../../db/schema/overruns.ts';
import type { Logger } from '../../../base/log.ts';
import type { BudgetRules } from '../budgets/budget-rules.ts';
import { overrunCause } from './overrun-cause.ts';
import type { OverrunWatches } from '../ledger/overrun-watches.ts';
import type { BudgetCaller } from '../budgets/budget-caller.ts';
import type { Overrun, OverrunsShown, WatchedCharge } from './overrun.ts';

interface OverrunsOptions {
  readonly db: Database;
  readonly log: Logger;
  readonly rules: BudgetRules;
  readonly watches: Pick<OverrunWatches, 'clear'>;
}

const SHOWN_MAX = 10;
const WAITING_MAX = 8;

/** Lists overruns and records their reviews. After a review, the member's jobs continue. */
export class Overruns {
  readonly #options: OverrunsOptions;

  constructor(options: OverrunsOptions) {
    this.#options = options;
  }

  async show(by: BudgetCaller): Promise<OverrunsShown> {
    const { db, rules } = this.#options;
    await rules.demandManager(db.kysely, by);
    return readOverruns(db.kysely, { guildId: by.guildId, offset: 0, limit: SHOWN_MAX });
  }

  /** Records a review, so that the member's jobs continue. Returns false if no charge was waiting for one. */
  async clear(by: BudgetCaller, userId: string): Promise<boolean> {
    const { db, log, rules, watches } = this.#options;
    const { guildId } = by;
    const cleared = await db.transaction(`guild:${guildId}`, async (trx) => {
      await rules.demandManager(trx, by);
      return watches.clear(trx, { guildId, userId });
    });
    if (cleared) {
      log.info({ guildId, by: by.userId }, 'A manager reviewed a charge far above its hold');
      db.changes.notify('jobs');
    }
    return cleared;
  }
}

/** Reads the overruns of one guild or of all guilds, and the charges that wait for a review. */
export async function readOverruns(
  db: Queryable,
  page: { readonly guildId?: string; readonly offset: number; readonly limit: number },
): Promise<OverrunsShown> {
  const found = await listOverruns(db, { ...page, limit: page.limit + 1 });
  const whose = page.guildId === undefined ? {} : { guildId: page.guildId };
  const waiting = await listOverrunWatches(db, { ...whose, limit: WAITING_MAX });
  return {
    overruns: found.slice(0, page.limit).map(overrunOf),
    hasMore: found.length > page.limit,
    waiting: waiting.map(watchedCharge),
  };
}

function overrunOf(hold: HoldRow): Overrun {
  return {
    guildId: hold.guild_id,
    userId: hold.user_id,
    capability: hold.capability,
    held: hold.amount_micros,
    charged: hold.charged_micros,
    atMs: hold.resolved_at_ms ?? hold.created_at_ms,
    cause: overrunCause(hold.capability, hold.rate_card),
  };
}

/** Converts a row to the charge as managers see it. */
export function watchedCharge(watch: OverrunWatch): WatchedCharge {
  return {
    guildId: watch.guild_id,
    userId: watch.user_id,
    capability: watch.capability,
    held: watch.held_micros,
    charged: watch.charged_micros,
    atMs: watch.made_at_ms,
  };
}
