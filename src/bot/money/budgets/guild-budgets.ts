import type { Database } from '../../../../db/database.ts';
import { listCapsOfGuild } from '../../../../db/queries/applying-caps.ts';
import { type CapRowKey, deleteCap, putCap } from '../../../../db/queries/caps.ts';
import type { PseudonymOf } from '../../../../db/pseudonyms.ts';
import type { Trx } from '../../../../db/schema.ts';
import type { CapRow } from '../../../../db/schema/caps.ts';
import type { Clock } from '../../../base/clock.ts';
import { DOLLARS_MAX } from '../../../base/read-dollars.ts';
import { type MicroUsd, formatUsd, micros } from '../../../base/money.ts';
import { withUsual } from '../caps/caps-for.ts';
import { BudgetError } from './budget-error.ts';
import type { BudgetRules } from './budget-rules.ts';
import type { Cap, CapKey } from '../caps/cap.ts';
import { type PastChanges, noteCapChange, pastChanges } from './past-changes.ts';
import { compareCaps } from '../caps/compare-caps.ts';
import { isSameCap, rowKeyOf } from '../caps/cap-of.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Amount, UsualCaps } from '../caps/usual-caps.ts';
import type { AdminCapKey } from './admin-cap-key.ts';
import type { BudgetCaller } from './budget-caller.ts';
import type { BudgetSettingsChange, GuildBudgetSettings } from './guild-budget-settings.ts';
import type { BudgetsShown } from './budgets-shown.ts';
import type { CapChanged } from './cap-changed.ts';

/** The maximum number of caps that a guild's admins can set. */
const CAPS_MAX = 100;
/** The most rows to read. Leaves room for the operator's caps, of which there is at most one for each period. */
const ROWS_MAX = CAPS_MAX + 4;

const PERIOD_TEXTS = { day: 'a day', week: 'a week', month: 'a month', total: 'in all' } as const;

interface GuildBudgetsOptions {
  readonly db: Database;
  readonly clock: Clock;
  readonly ledger: Pick<Ledger, 'caps' | 'views' | 'noteReached'>;
  readonly rules: BudgetRules;
  /** The operator's default caps. They must be the ones that the ledger uses. */
  readonly usual: UsualCaps;
  /** Must be the function that the ledger uses. */
  readonly pseudonymOf?: PseudonymOf | undefined;
}

/** Guild budgets. Stores, shows and changes them for members who may do so. */
export class GuildBudgets {
  readonly #options: GuildBudgetsOptions;
  readonly #rules: BudgetRules;

  constructor(options: GuildBudgetsOptions) {
    this.#options = options;
    this.#rules = options.rules;
  }

  async show(by: BudgetCaller): Promise<BudgetsShown> {
    const { db, ledger } = this.#options;
    const isManager = await this.#rules.isManager(db.kysely, by);
    const { guild, others, settings } = await this.showGuild(by.guildId);
    const views = await ledger.views(db.kysely, by.guildId, by);
    const own = views.filter((view) => !isGuilds(view)).toSorted(compareCaps);
    return { isManager, guild, own, others: isManager ? others : [], settings };
  }

  /** Returns all of a guild's budgets and settings. The caller must make sure that they may be shown. */
  async showGuild(guildId: string): Promise<Pick<BudgetsShown, 'guild' | 'others' | 'settings'>> {
    const { db, ledger } = this.#options;
    const found = await ledger.caps(db.kysely, guildId, ROWS_MAX);
    const listed = found.toSorted((a, b) => compareCaps(a.cap, b.cap));
    return {
      guild: listed.flatMap(({ view }) => (view && isGuilds(view) ? [view] : [])),
      others: listed.filter(({ cap }) => !isGuilds(cap)),
      settings: await this.#rules.settings(db.kysely, guildId),
    };
  }

  /** Sets a cap, replacing any cap with the same key. */
  async set(by: BudgetCaller, cap: AdminCapKey & { readonly limit: MicroUsd }): Promise<CapChanged> {
    demandAmount(cap.limit);
    return this.#change(by, cap, async (trx, rows) => {
      this.#demandAllowed(rows, cap);
      const key = rowKeyOf(by.guildId, cap);
      const former = this.#formerKey(key);
      if (!rows.some((row) => isSameCap(row, key) || isSameCap(row, former))) demandRoom(rows);
      await deleteCap(trx, former);
      await putCap(trx, {
        ...key,
        limit_micros: cap.limit,
        set_by: by.userId,
        set_at_ms: this.#options.clock.now(),
      });
      return cap.limit;
    });
  }

  async clear(by: BudgetCaller, key: AdminCapKey): Promise<CapChanged> {
    return this.#change(by, key, async (trx) => {
      const rowKey = rowKeyOf(by.guildId, key);
      for (const each of [rowKey, this.#formerKey(rowKey)]) await deleteCap(trx, each);
      return null;
    });
  }

  /**
   * Sets the most that the operator allows a guild to spend. Null restores the usual allowance. The caller must make
   * sure that `byUserId` is the operator. Throws `BudgetError` if the amount is out of range.
   */
  async allow(guildId: string, allowance: Amount | null, byUserId: string): Promise<void> {
    const { db, clock, ledger } = this.#options;
    if (allowance !== null) demandAmount(allowance.limit);
    await db.transaction(`guild:${guildId}`, async (trx) => {
      const rows = await listCapsOfGuild(trx, guildId, ROWS_MAX);
      const atMs = clock.now();
      for (const row of rows.filter(({ target_kind }) => target_kind === 'operator')) {
        if (row.period === allowance?.period) continue;
        await deleteCap(trx, row);
        await noteCapChange(trx, row, { before: row.limit_micros, after: null, byUserId, atMs });
      }
      if (allowance === null) return;
      const { period, limit } = allowance;
      const key = rowKeyOf(guildId, { target: { kind: 'operator' }, capability: null, period });
      const before = rows.find((row) => isSameCap(row, key))?.limit_micros ?? null;
      await putCap(trx, { ...key, limit_micros: limit, set_by: byUserId, set_at_ms: atMs });
      await noteCapChange(trx, key, { before, after: limit, byUserId, atMs });
      const isWanted = ({ target }: Cap): boolean => target.kind === 'operator';
      await ledger.noteReached(trx, guildId, { limit: ROWS_MAX, isWanted });
    });
  }

  /** Lists cap changes, newest first, for managers. The first page is 0. */
  async history(by: BudgetCaller, page: number): Promise<PastChanges> {
    const { kysely } = this.#options.db;
    await this.#rules.demandManager(kysely, by);
    return pastChanges(kysely, by.guildId, page);
  }

  change(by: BudgetCaller, change: BudgetSettingsChange): Promise<GuildBudgetSettings> {
    const { ledger } = this.#options;
    return this.#rules.change(by, change, async (trx) => {
      if (typeof change.alertsChannelId !== 'string') return;
      await ledger.noteReached(trx, by.guildId, { limit: ROWS_MAX, isWanted: () => true });
    });
  }

  /** Adds a role whose members may manage budgets. Only admins can add one; budget managers cannot. */
  addManager(by: BudgetCaller, roleId: string): Promise<GuildBudgetSettings> {
    return this.#rules.addManager(by, roleId);
  }

  removeManager(by: BudgetCaller, roleId: string): Promise<GuildBudgetSettings> {
    return this.#rules.removeManager(by, roleId);
  }

  /** Runs `work`, which changes a cap and returns its new limit, in one transaction with the record of the change. */
  async #change(
    by: BudgetCaller,
    key: AdminCapKey,
    work: (trx: Trx, rows: readonly CapRow[]) => Promise<MicroUsd | null>,
  ): Promise<CapChanged> {
    const { db, clock, ledger, usual } = this.#options;
    const rowKey = rowKeyOf(by.guildId, key);
    const isReported = (cap: Cap): boolean => isDefault(cap) || compareCaps(cap, key) === 0;
    const { rows, before, listed } = await db.transaction(`guild:${by.guildId}`, async (trx) => {
      await this.#rules.demandManager(trx, by);
      const found = await listCapsOfGuild(trx, by.guildId, ROWS_MAX);
      const former = this.#formerKey(rowKey);
      const before =
        found.find((row) => isSameCap(row, rowKey)) ?? found.find((row) => isSameCap(row, former));
      const limit = before?.limit_micros ?? null;
      const after = await work(trx, found);
      const change = { before: limit, after, byUserId: by.userId, atMs: clock.now() };
      await noteCapChange(trx, rowKey, change);
      await ledger.noteReached(trx, by.guildId, { limit: ROWS_MAX, isWanted: isReported });
      // The data for the reply is read before the commit, so that the change is rolled back if reading fails.
      const views = await ledger.caps(trx, by.guildId, ROWS_MAX, isReported);
      return { rows: found, before: limit, listed: views };
    });
    const now = listed.find(({ cap }) => compareCaps(cap, key) === 0) ?? null;
    const earlier = withUsual(rows, usual).find(isDefault) ?? null;
    const later = listed.find(({ cap }) => isDefault(cap)) ?? null;
    return { before, now, replaced: later ? null : earlier, usual: earlier ? null : later };
  }

  /**
   * Returns the key under which a member's cap is stored once their data has been removed. Returns any other key
   * unchanged.
   */
  #formerKey(key: CapRowKey): CapRowKey {
    const { pseudonymOf = String } = this.#options;
    return key.target_kind === 'member' ? { ...key, target_id: pseudonymOf(key.target_id) } : key;
  }

  /**
   * Refuses a limit above the allowance for the same period: the allowance would still apply, so the cap would be
   * misleading.
   */
  #demandAllowed(rows: readonly CapRow[], { period, limit }: Cap): void {
    const caps = withUsual(rows, this.#options.usual);
    const allowed = caps.find((cap) => cap.target.kind === 'operator' && cap.period === period);
    if (!allowed || limit <= allowed.limit) return;
    const most = formatUsd(allowed.limit);
    throw new BudgetError(
      'above_allowance',
      `Nothing was changed. Whoever runs this bot lets this server spend at most **${most}** ` +
        `${PERIOD_TEXTS[period]}: set **${most}** or less, or ask them for more.`,
    );
  }
}

function isGuilds({ target }: CapKey): boolean {
  return target.kind !== 'role' && target.kind !== 'member';
}

function isDefault({ target }: CapKey): boolean {
  return target.kind === 'default';
}

function demandAmount(amount: MicroUsd): void {
  if (micros(amount) >= 0 && amount <= DOLLARS_MAX) return;
  throw new BudgetError(
    'out_of_range',
    `An amount must be between **$0.00** and **${formatUsd(DOLLARS_MAX)}**.`,
  );
}

function demandRoom(rows: readonly CapRow[]): void {
  if (rows.filter(({ target_kind }) => target_kind !== 'operator').length < CAPS_MAX) return;
  throw new BudgetError(
    'too_many',
    `There are ${CAPS_MAX} budgets in this server already. Take one back first with \`/budget clear\`.`,
  );
}
