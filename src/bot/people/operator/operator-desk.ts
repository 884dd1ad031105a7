import type { Clock } from '../../../base/clock.ts';
import type { Logger } from '../../../base/log.ts';
import { type MicroUsd, ZERO, addMicros } from '../../../base/money.ts';
import type { Database } from '../../../../db/database.ts';
import { type GuildSums, sumByGuild } from '../../../../db/queries/sum-by-guild.ts';
import { findHold, pageOpenHolds, sumOpenHolds } from '../../../../db/queries/holds.ts';
import { type WatchedMember, listOverrunWatches } from '../../../../db/queries/overruns.ts';
import { listReconciliations } from '../../../../db/queries/reconciliations.ts';
import { recordLateCharge } from '../../../../db/queries/service-calls.ts';
import type { HoldRow } from '../../../../db/schema/ledger.ts';
import { isGuildWide } from '../../money/caps/budget.ts';
import type { Ledger } from '../../money/ledger/ledger.ts';
import { readOverruns, watchedCharge } from '../../money/overruns/overruns.ts';
import type { Amount } from '../../money/caps/usual-caps.ts';
import type { Alarms } from './alarms.ts';
import { OperatorError } from './operator-error.ts';
import { isPaused, pause, pausedGuilds, resume } from './pauses.ts';
import { findServiceBalance } from './service-balance.ts';
import { UsageRecords } from './usage-records.ts';
import type { CallOrigin } from '../../jobs/call-origin.ts';
import type { WatchedCharge, Overrun, OverrunsShown } from '../../money/overruns/overrun.ts';
import type { GuildBudgets } from '../../money/budgets/guild-budgets.ts';
import type { Assigned, Resolved } from './operator-decisions.ts';
import type { Comparison, OperatorStatus } from './operator-status.ts';
import type { GuildFigures, GuildLine } from './guild-figures.ts';
import type { GuildNames } from './guild-names.ts';
import type { HoldLine, SuggestedRecord } from './hold-line.ts';
import type { OperatorRights, Operators } from './operators.ts';
import type { Page } from './page.ts';

interface DeskOptions {
  readonly db: Database;
  readonly clock: Clock;
  readonly log: Logger;
  readonly ledger: Pick<Ledger, 'post' | 'void' | 'views' | 'watches'>;
  readonly alarms: Alarms;
  readonly operators: Operators;
  readonly names: GuildNames;
  readonly allowances: Pick<GuildBudgets, 'allow'>;
}

const GUILDS_MAX = 5_000;
const TOP_MAX = 5;
const LINES_PER_PAGE = 10;
const PAGE_MAX = 1_000;
/** The largest number of suggestions that Discord shows. */
const SUGGESTED_MAX = 25;
const OPEN = ['pending', 'review'] as const;

/**
 * Serves `/operator`. Every method checks whether the caller is the operator, and throws an `OperatorError` with a
 * message for the caller if not. Methods that return suggestions return an empty list instead.
 */
export class OperatorDesk {
  readonly #options: DeskOptions;
  readonly #records: UsageRecords;

  constructor(options: DeskOptions) {
    this.#options = options;
    this.#records = new UsageRecords(options);
  }

  async status(origin: CallOrigin): Promise<OperatorStatus> {
    await this.#demand(origin, 'see');
    const { db, alarms } = this.#options;
    const guilds = await this.#figures();
    const { pending, review } = await sumOpenHolds(db.kysely);
    return {
      account: await findServiceBalance(db.kysely),
      spent: addMicros(...guilds.map(({ spent }) => spent)),
      guildCount: guilds.length,
      top: guilds.filter(({ spent }) => spent > 0).slice(0, TOP_MAX),
      pending,
      review,
      records: (await this.#records.all()).length,
      comparison: await this.#comparison(),
      isPaused: await isPaused(db.kysely, null),
      pausedGuilds: (await pausedGuilds(db.kysely, GUILDS_MAX)).size,
      alerts: await alarms.open(),
    };
  }

  /** Returns guilds, sorted by their spending this month, highest first. */
  async guilds(origin: CallOrigin, page: number): Promise<Page<GuildLine>> {
    await this.#demand(origin, 'see');
    const { db, ledger } = this.#options;
    const all = await this.#figures();
    const from = offsetOf(page);
    const shown = all.slice(from, from + LINES_PER_PAGE);
    const lines: GuildLine[] = [];
    for (const figures of shown) {
      const views = await ledger.views(db.kysely, figures.guildId);
      lines.push({ ...figures, caps: views.filter(isGuildWide) });
    }
    return { lines, page: from / LINES_PER_PAGE, hasMore: all.length > from + LINES_PER_PAGE };
  }

  /** Returns holds that are pending or in review, oldest first. */
  async holds(origin: CallOrigin, page: number): Promise<Page<HoldLine>> {
    await this.#demand(origin, 'see');
    const offset = offsetOf(page);
    const slice = { offset, limit: LINES_PER_PAGE + 1 };
    const rows = await pageOpenHolds(this.#options.db.kysely, OPEN, slice);
    const lines = await this.#holdLines(rows.slice(0, LINES_PER_PAGE));
    return { lines, page: offset / LINES_PER_PAGE, hasMore: rows.length > LINES_PER_PAGE };
  }

  /** Returns charges above their holds, newest first, and the members whose new jobs wait for a review. */
  async overruns(origin: CallOrigin, page: number): Promise<Page<Overrun> & Pick<OverrunsShown, 'waiting'>> {
    await this.#demand(origin, 'see');
    const offset = offsetOf(page);
    const read = await readOverruns(this.#options.db.kysely, { offset, limit: LINES_PER_PAGE });
    const { overruns: lines, hasMore, waiting } = read;
    return { lines, page: offset / LINES_PER_PAGE, hasMore, waiting };
  }

  /**
   * Records that the operator has reviewed a member's charge, so that the member's jobs continue. Returns false if no
   * charge was waiting for a review.
   */
  async release(origin: CallOrigin, member: WatchedMember): Promise<boolean> {
    await this.#demand(origin, 'change');
    const { db, ledger, log } = this.#options;
    const { guildId } = member;
    const cleared = await db.transaction(`guild:${guildId}`, (trx) => ledger.watches.clear(trx, member));
    if (cleared) {
      log.warn({ guildId, by: origin.userId }, 'The operator reviewed a charge far above its hold');
      db.changes.notify('jobs');
    }
    return cleared;
  }

  /** Suggests charges whose members' jobs wait for a review, oldest first. */
  async suggestReleases(origin: CallOrigin): Promise<readonly WatchedCharge[]> {
    if ((await this.#rightsOf(origin.userId)) === 'none') return [];
    const rows = await listOverrunWatches(this.#options.db.kysely, { limit: SUGGESTED_MAX });
    return rows.map(watchedCharge);
  }

  /** Ends a hold in review with the service's charge; a charge of 0 frees the hold. */
  async resolve(origin: CallOrigin, subject: string, charged: MicroUsd): Promise<Resolved> {
    await this.#demand(origin, 'change');
    const { db, ledger, log } = this.#options;
    const known = await findHold(db.kysely, subject);
    if (!known) return { outcome: 'refused', why: 'not_found' };
    const isResolved = await db.transaction(`guild:${known.guild_id}`, async (trx) => {
      const hold = await findHold(trx, subject);
      if (hold?.state !== 'review') return false;
      if (charged === ZERO) await ledger.void(trx, { subject });
      else await ledger.post(trx, { subject, charged });
      await recordLateCharge(trx, subject, charged);
      return true;
    });
    if (!isResolved) return { outcome: 'refused', why: 'not_in_review' };
    log.warn({ subject, charged, by: origin.userId }, 'The operator resolved a hold that was in review');
    return { outcome: 'resolved', charged };
  }

  /**
   * Assigns a suggested usage record to a hold or, if `subject` is null, to other use of the account, which no guild
   * pays for. The decision is final, and a repeated call changes nothing.
   */
  async assign(origin: CallOrigin, recordId: string, subject: string | null): Promise<Assigned> {
    await this.#demand(origin, 'change');
    const assigned = await this.#records.assign(recordId, subject, origin.userId);
    const { outcome } = assigned;
    this.#options.log.warn(
      { recordId, subject, outcome, by: origin.userId },
      'The operator decided who owns a usage record',
    );
    return assigned;
  }

  /** Sets a guild's allowance; null restores the usual allowance. */
  async allow(origin: CallOrigin, guildId: string, allowance: Amount | null): Promise<void> {
    await this.#demand(origin, 'change');
    demandGuild(guildId);
    await this.#options.allowances.allow(guildId, allowance, origin.userId);
    this.#options.log.warn({ guildId, ...allowance, by: origin.userId }, 'The operator set an allowance');
  }

  /**
   * Stops accepting work from one guild or, if `guildId` is null, from all guilds. Returns false if this pause already
   * existed.
   */
  async pause(origin: CallOrigin, guildId: string | null): Promise<boolean> {
    await this.#demand(origin, 'change');
    if (guildId !== null) demandGuild(guildId);
    const { db, clock, log } = this.#options;
    const isNew = await db.transaction('operator', async (trx) => {
      if (await isPaused(trx, guildId)) return false;
      await pause(trx, guildId, clock.now());
      return true;
    });
    if (isNew) log.warn({ guildId, by: origin.userId }, 'The operator paused new work');
    return isNew;
  }

  async resume(origin: CallOrigin, guildId: string | null): Promise<boolean> {
    await this.#demand(origin, 'change');
    const { db, log } = this.#options;
    const wasPaused = await db.transaction('operator', async (trx) => {
      if (!(await isPaused(trx, guildId))) return false;
      await resume(trx, guildId);
      return true;
    });
    if (wasPaused) log.warn({ guildId, by: origin.userId }, 'The operator ended a pause');
    return wasPaused;
  }

  /** Suggests guilds whose name contains the typed text, or whose id starts with it. */
  async suggestGuilds(
    origin: CallOrigin,
    typed: string,
  ): Promise<readonly Pick<GuildFigures, 'guildId' | 'name'>[]> {
    if ((await this.#rightsOf(origin.userId)) === 'none') return [];
    const wanted = typed.trim().toLowerCase();
    const isMeant = ({ guildId, name }: GuildFigures): boolean =>
      guildId.startsWith(wanted) || (name?.toLowerCase().includes(wanted) ?? false);
    return (await this.#figures()).filter(isMeant).slice(0, SUGGESTED_MAX);
  }

  /** Suggests holds in review, oldest first. */
  async suggestReviews(origin: CallOrigin): Promise<readonly HoldLine[]> {
    if ((await this.#rightsOf(origin.userId)) === 'none') return [];
    const slice = { offset: 0, limit: SUGGESTED_MAX };
    const rows = await pageOpenHolds(this.#options.db.kysely, ['review'], slice);
    return this.#holdLines(rows);
  }

  /** Suggests usage records that wait for a decision, newest first. */
  async suggestRecords(origin: CallOrigin): Promise<readonly SuggestedRecord[]> {
    if ((await this.#rightsOf(origin.userId)) === 'none') return [];
    return (await this.#records.all()).slice(0, SUGGESTED_MAX);
  }

  /** Suggests holds that a usage record may belong to. */
  async suggestOwners(origin: CallOrigin, recordId: string): Promise<readonly HoldLine[]> {
    if ((await this.#rightsOf(origin.userId)) === 'none') return [];
    const { kysely } = this.#options.db;
    const subjects = (await this.#records.holdsOf(recordId)).slice(0, SUGGESTED_MAX);
    const holds = await Promise.all(subjects.map((subject) => findHold(kysely, subject)));
    return this.#holdLines(holds.filter((hold) => hold !== undefined));
  }

  async #comparison(): Promise<Comparison | null> {
    const [row] = await listReconciliations(this.#options.db.kysely, 1);
    if (!row) return null;
    const { made_at_ms: madeAtMs, foreign_micros: foreign, drift_micros: drift } = row;
    return { madeAtMs, isComplete: row.is_complete === 1, foreign, drift };
  }

  async #holdLines(rows: readonly HoldRow[]): Promise<readonly HoldLine[]> {
    const records = await this.#records.of(rows.map(({ subject }) => subject));
    return rows.map((row) => this.#holdLine(row, records.get(row.subject) ?? []));
  }

  #holdLine(row: HoldRow, records: readonly SuggestedRecord[]): HoldLine {
    return {
      records,
      subject: row.subject,
      guildId: row.guild_id,
      guildName: this.#options.names.nameOf(row.guild_id),
      capability: row.capability,
      amount: row.amount_micros,
      state: row.state,
      heldAtMs: row.created_at_ms,
    };
  }

  /**
   * Returns all guilds with spending and all guilds that this process's bot is in, sorted by their spending this month,
   * highest first.
   */
  async #figures(): Promise<readonly GuildFigures[]> {
    const { db, clock, names } = this.#options;
    const paused = await pausedGuilds(db.kysely, GUILDS_MAX);
    const options = { sinceMs: monthStartMs(clock.now()), limit: GUILDS_MAX };
    const sums = new Map((await sumByGuild(db.kysely, options)).map((one) => [one.guildId, one]));
    for (const guildId of names.ids().slice(0, GUILDS_MAX)) {
      if (!sums.has(guildId)) sums.set(guildId, { guildId, posted: ZERO, pending: ZERO });
    }
    return [...sums.values()].map(({ guildId, posted, pending }: GuildSums) => ({
      guildId,
      name: names.nameOf(guildId),
      spent: posted,
      held: pending,
      isPaused: paused.has(guildId),
    }));
  }

  async #demand(origin: CallOrigin, needed: 'see' | 'change'): Promise<void> {
    const rights = await this.#rightsOf(origin.userId);
    if (rights === 'change' || rights === needed) return;
    const { guildId, interactionId } = origin;
    this.#options.log.warn(
      { guildId, interactionId, rights },
      'A user without the rights tried to use /operator',
    );
    throw new OperatorError(
      'not_operator',
      rights === 'see'
        ? 'Your role in the team of this application lets you look, but not change anything.'
        : 'This is only for whoever runs this bot.',
    );
  }

  async #rightsOf(userId: string): Promise<OperatorRights> {
    try {
      return await this.#options.operators.rightsOf(userId);
    } catch (error) {
      this.#options.log.warn({ error }, 'Cannot determine who the operator is');
      throw new OperatorError(
        'unknown_operators',
        'Discord did not say who runs this bot, so nothing was done. Try again in a minute.',
        error,
      );
    }
  }
}

/** Rejects a string that is not an id, because a pause or allowance for it would have no effect. */
function demandGuild(guildId: string): void {
  if (/^\d{1,20}$/.test(guildId)) return;
  throw new OperatorError(
    'unknown_guild',
    'That is not the id of a server. Choose one from the suggestions, or copy its id.',
  );
}

function offsetOf(page: number): number {
  return Math.min(PAGE_MAX, Math.max(0, Math.trunc(page) || 0)) * LINES_PER_PAGE;
}

function monthStartMs(nowMs: number): number {
  const now = new Date(nowMs);
  return Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 1);
}
