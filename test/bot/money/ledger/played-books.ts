import type { Database } from '../../../../db/database.ts';
import type { HoldRow } from '../../../../db/schema/ledger.ts';
import { FakeClock } from '../../../helpers/fake-clock.ts';
import { unreachable } from '../../../../src/base/errors.ts';
import { micros } from '../../../../src/base/money.ts';
import type { CapTarget } from '../../../../src/bot/money/caps/cap.ts';
import { BudgetRules } from '../../../../src/bot/money/budgets/budget-rules.ts';
import { ServiceError } from '../../../../src/base/errors.ts';
import { type HoldOutcome, Ledger } from '../../../../src/bot/money/ledger/ledger.ts';
import { type CapCommandKey, type LedgerCommand, ROLES, USERS } from './commands.ts';
import { USUAL, nameOf } from './ledger-model.ts';
import { clearCap, setCap } from '../caps/set-cap.ts';

/** The books of one guild, on which tests run commands. */
export class PlayedBooks {
  readonly clock: FakeClock;
  readonly guildId: string;
  readonly #db: Database;
  readonly #ledger: Ledger;
  readonly #rules: BudgetRules;

  constructor(db: Database, guildId: string, startMs: number) {
    this.clock = new FakeClock(startMs);
    this.guildId = guildId;
    this.#db = db;
    const { limit, period, zone: timeZone } = USUAL;
    this.#ledger = new Ledger({
      clock: this.clock,
      defaultBudget: { limit: micros(limit), period, timeZone },
    });
    this.#rules = new BudgetRules({ db, clock: this.clock, timeZone });
  }

  /**
   * Runs a command. Returns the result of a hold or resize, `undefined` for other commands, and null for a subject
   * without a hold.
   */
  async play(
    command: LedgerCommand,
    nowMs: number = this.clock.now(),
  ): Promise<HoldOutcome | null | undefined> {
    if (command.kind === 'pass') {
      await this.clock.advance(command.ms);
      return undefined;
    }
    if (command.kind === 'zone') {
      const admin = { guildId: this.guildId, userId: 'admin', roleIds: [], isAdmin: true };
      await this.#rules.change(admin, { timeZone: command.zone });
      return undefined;
    }
    try {
      return await this.#db.transaction(`guild:${this.guildId}`, (trx) => this.#play(trx, command, nowMs));
    } catch (error) {
      if (error instanceof ServiceError && error.code === 'unknown_subject') return null;
      throw error;
    }
  }

  /** Returns the guild's holds and spending without the guild's id, so that the books of two guilds can be compared. */
  async state(): Promise<{ readonly holds: unknown[][]; readonly spending: unknown[] }> {
    const { kysely } = this.#db;
    const holds = await kysely
      .selectFrom('holds')
      .selectAll()
      .where('guild_id', '=', this.guildId)
      .orderBy('subject')
      .execute();
    const spending = await kysely
      .selectFrom('spending')
      .select(['slot_ms', 'user_id', 'capability', 'posted_micros', 'pending_micros', 'overrun_micros'])
      .where('guild_id', '=', this.guildId)
      .orderBy('slot_ms')
      .orderBy('user_id')
      .orderBy('capability')
      .execute();
    return { holds: holds.map((hold) => this.#stateOf(hold)), spending };
  }

  /** Returns the use of each member's caps, as `LedgerModel.standing` does. */
  async standing(): Promise<ReadonlySet<string>[]> {
    const sets: Set<string>[] = [];
    for (const userId of USERS) {
      const views = await this.#ledger.views(this.#db.kysely, this.guildId, { userId, roleIds: ROLES });
      sets.push(
        new Set(views.map((view) => `${capName(view)}: ${view.posted + view.pending} of ${view.limit}`)),
      );
    }
    return sets;
  }

  #stateOf(hold: HoldRow): unknown[] {
    const subject = hold.subject.slice(this.guildId.length + 1);
    return [subject, hold.state, hold.amount_micros, hold.charged_micros, hold.overrun_micros];
  }

  async #play(
    trx: Parameters<Ledger['hold']>[0],
    command: LedgerCommand,
    nowMs: number,
  ): Promise<HoldOutcome | undefined> {
    const { guildId } = this;
    if (command.kind === 'cap') {
      const setting = { guildId, ...settingOf(command.key) };
      if (command.limit === null) await clearCap(trx, setting);
      else await setCap(trx, { ...setting, limit: command.limit });
    }
    if (!('subject' in command)) return undefined;
    const subject = `${guildId}-${command.subject}`;
    const rateCard = '{}';
    switch (command.kind) {
      case 'hold':
        return this.#ledger.hold(trx, {
          ...command,
          subject,
          guildId,
          amount: micros(command.amount),
          rateCard,
        });
      case 'resize':
        return this.#ledger.resize(trx, { subject, amount: micros(command.amount), rateCard });
      case 'post': {
        const asOfMs = nowMs - command.agoMs;
        await this.#ledger.post(trx, { subject, charged: micros(command.charged), asOfMs });
        return undefined;
      }
      case 'void':
        await this.#ledger.void(trx, { subject });
        return undefined;
      case 'review':
        await this.#ledger.review(trx, { subject });
        return undefined;
      default:
        return unreachable(command);
    }
  }
}

function settingOf({ target, capability, period }: CapCommandKey) {
  if (target === 'operator' || target === 'guild') return { kind: target, capability, period };
  const kind = (ROLES as readonly string[]).includes(target) ? ('role' as const) : ('member' as const);
  return { kind, targetId: target, capability, period };
}

/** Returns the name that `nameOf` gives the same cap in the model. */
export function capName(cap: {
  readonly target: CapTarget;
  readonly capability: string | null;
  readonly period: string;
}): string {
  const { target, capability, period } = cap;
  const name =
    target.kind === 'role' ? target.roleId : target.kind === 'member' ? target.userId : target.kind;
  return nameOf({ target: name, capability: capability ?? '', period });
}
