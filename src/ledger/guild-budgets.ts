import type { Database } from '../../db/database.ts';
import { deleteCap, listCaps, putCap } from '../../db/queries/caps.ts';
import type { CapRow, Queryable, Trx } from '../../db/schema.ts';
import type { Clock } from '../base/clock.ts';
import { DOLLARS_MAX } from '../base/dollar-text.ts';
import { type MicroUsd, formatUsd, micros } from '../base/money.ts';
import { BudgetError } from './budget-error.ts';
import type {
  AdminCapKey,
  BudgetCaller,
  BudgetDesk,
  BudgetSettingsChange,
  BudgetsShown,
  CapChanged,
  GuildBudgetSettings,
  ListedCap,
  PastChanges,
} from './budget-ports.ts';
import { BudgetRules } from './budget-rules.ts';
import type { Cap, CapView } from './cap.ts';
import { noteCapChange, pastChanges } from './cap-history.ts';
import { capOf, isSameCap, rowKeyOf } from './cap-rows.ts';
import { windowAt } from './period.ts';
import { type Amount, type UsualCaps, withUsualCaps } from './usual-caps.ts';

/** Caps that the admins of one guild can set. */
export const CAPS_MAX = 100;
/** The operator's come on top: one of each period. */
const ROWS_MAX = CAPS_MAX + 4;

const PERIOD_TEXTS = { day: 'a day', week: 'a week', month: 'a month', total: 'in all' } as const;

export interface GuildBudgetsOptions {
  readonly db: Database;
  readonly clock: Clock;
  readonly usual: UsualCaps;
  /** In whose calendar periods begin where a guild chose none. */
  readonly timeZone: string;
  /** How a cap stands in its current window; that of a role or member for one member. */
  readonly view: (
    db: Queryable,
    whose: { readonly guildId: string; readonly userId: string },
    cap: Cap,
  ) => Promise<CapView>;
}

/** What may be spent in each guild: kept, shown, and changed by those who may. */
export class GuildBudgets implements BudgetDesk {
  readonly #options: GuildBudgetsOptions;
  readonly #rules: BudgetRules;

  constructor(options: GuildBudgetsOptions) {
    this.#options = options;
    this.#rules = new BudgetRules(options);
  }

  async show(by: BudgetCaller): Promise<BudgetsShown> {
    const { kysely } = this.#options.db;
    const [isManager, shown] = await Promise.all([
      this.#rules.isManager(kysely, by),
      this.showGuild(by.guildId),
    ]);
    const own = shown.others.map(({ cap }) => cap).filter((cap) => isOwn(cap, by));
    return {
      ...shown,
      isManager,
      own: await Promise.all(own.map((cap) => this.#options.view(kysely, by, cap))),
      others: isManager ? shown.others : [],
    };
  }

  /** Everything that is set in a guild, to those who may see all. */
  async showGuild(guildId: string): Promise<Pick<BudgetsShown, 'guild' | 'others' | 'settings'>> {
    const { db, usual, view } = this.#options;
    const settings = await this.#rules.settings(db.kysely, guildId);
    const rows = await listCaps(db.kysely, guildId, ROWS_MAX);
    const caps = withUsualCaps(rows.map(capOf), usual);
    const isGuilds = ({ target }: Cap): boolean => target.kind !== 'role' && target.kind !== 'member';
    const guild = caps.filter(isGuilds);
    const others = caps.filter((cap) => !isGuilds(cap));
    return {
      guild: await Promise.all(guild.map((cap) => view(db.kysely, { guildId, userId: '' }, cap))),
      others: await Promise.all(others.map((cap) => this.#listed(db.kysely, guildId, settings, cap))),
      settings,
    };
  }

  async set(by: BudgetCaller, cap: AdminCapKey & { readonly limit: MicroUsd }): Promise<CapChanged> {
    const { db, clock } = this.#options;
    const { guildId, userId } = by;
    demandAmount(cap.limit);
    return db.transaction(`guild:${guildId}`, async (trx) => {
      await this.#rules.demandManager(trx, by);
      const rows = await listCaps(trx, guildId, ROWS_MAX);
      this.#demandAllowed(rows, cap);
      const key = rowKeyOf(guildId, cap);
      const before = rows.find((row) => isSameCap(row, key))?.limit_micros ?? null;
      if (before === null) demandRoom(rows);
      const atMs = clock.now();
      const row = { ...key, limit_micros: cap.limit, set_by: userId, set_at_ms: atMs };
      await putCap(trx, row);
      await noteCapChange(trx, key, { before, after: cap.limit, byUserId: userId, atMs });
      return this.#changed(trx, guildId, { before, now: capOf(row), rows });
    });
  }

  async clear(by: BudgetCaller, cap: AdminCapKey): Promise<CapChanged> {
    const { db, clock } = this.#options;
    const { guildId, userId } = by;
    return db.transaction(`guild:${guildId}`, async (trx) => {
      await this.#rules.demandManager(trx, by);
      const rows = await listCaps(trx, guildId, ROWS_MAX);
      const key = rowKeyOf(guildId, cap);
      const before = (await deleteCap(trx, key)) ?? null;
      await noteCapChange(trx, key, { before, after: null, byUserId: userId, atMs: clock.now() });
      return this.#changed(trx, guildId, { before, now: null, rows });
    });
  }

  /**
   * What the operator lets a guild spend at most, in place of what was said before; null goes back to the usual.
   * Whoever calls it has made sure that `byUserId` is the operator. Throws `BudgetError` for an amount out of range.
   */
  async allow(guildId: string, allowance: Amount | null, byUserId: string): Promise<void> {
    const { db, clock } = this.#options;
    if (allowance !== null) demandAmount(allowance.limit);
    await db.transaction(`guild:${guildId}`, async (trx) => {
      const rows = await listCaps(trx, guildId, ROWS_MAX);
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
    });
  }

  async history(by: BudgetCaller, page: number): Promise<PastChanges> {
    const { kysely } = this.#options.db;
    await this.#rules.demandManager(kysely, by);
    return pastChanges(kysely, by.guildId, page);
  }

  change(by: BudgetCaller, change: BudgetSettingsChange): Promise<GuildBudgetSettings> {
    return this.#rules.change(by, change);
  }

  addManager(by: BudgetCaller, roleId: string): Promise<GuildBudgetSettings> {
    return this.#rules.addManager(by, roleId);
  }

  removeManager(by: BudgetCaller, roleId: string): Promise<GuildBudgetSettings> {
    return this.#rules.removeManager(by, roleId);
  }

  /** An allowance of the same period binds every cap: what is set above it would only mislead. */
  #demandAllowed(rows: readonly CapRow[], { period, limit }: Cap): void {
    const caps = withUsualCaps(rows.map(capOf), this.#options.usual);
    const allowed = caps.find((cap) => cap.target.kind === 'operator' && cap.period === period);
    if (!allowed || limit <= allowed.limit) return;
    const most = formatUsd(allowed.limit);
    throw new BudgetError(
      'above_allowance',
      `Nothing was changed. Whoever runs this bot lets this server spend at most **${most}** ` +
        `${PERIOD_TEXTS[period]}: set **${most}** or less, or ask them for more.`,
    );
  }

  /** `usual` is told where the change of a cap put the default in or out of force. */
  async #changed(
    trx: Trx,
    guildId: string,
    change: { before: MicroUsd | null; now: Cap | null; rows: readonly CapRow[] },
  ): Promise<CapChanged> {
    const { usual, view } = this.#options;
    const isDefault = ({ target }: Cap): boolean => target.kind === 'default';
    const earlier = withUsualCaps(change.rows.map(capOf), usual).find(isDefault);
    const later = withUsualCaps((await listCaps(trx, guildId, ROWS_MAX)).map(capOf), usual).find(isDefault);
    const changed = (earlier === undefined) === (later === undefined) ? undefined : (earlier ?? later);
    const settings = await this.#rules.settings(trx, guildId);
    return {
      before: change.before,
      now: change.now && (await this.#listed(trx, guildId, settings, change.now)),
      usual: changed ? await view(trx, { guildId, userId: '' }, changed) : null,
    };
  }

  async #listed(
    db: Queryable,
    guildId: string,
    { timeZone }: GuildBudgetSettings,
    cap: Cap,
  ): Promise<ListedCap> {
    const { clock, view } = this.#options;
    if (cap.target.kind === 'role') {
      const resetsAtMs = cap.period === 'total' ? null : windowAt(cap.period, timeZone, clock.now()).endsAtMs;
      return { cap, resetsAtMs, view: null };
    }
    const userId = cap.target.kind === 'member' ? cap.target.userId : '';
    const seen = await view(db, { guildId, userId }, cap);
    return { cap, resetsAtMs: seen.resetsAtMs, view: seen };
  }
}

function isOwn({ target }: Cap, by: BudgetCaller): boolean {
  if (target.kind === 'role') return by.roleIds.includes(target.roleId);
  return target.kind === 'member' && target.userId === by.userId;
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
