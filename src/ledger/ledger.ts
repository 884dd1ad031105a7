import {
  type PeriodKey,
  addPendingWithin,
  changeTotals,
  ensureBudgetPeriod,
  findBudget,
  findBudgetPeriod,
} from '../../db/queries/budgets.ts';
import { findHold, insertHold, updateHold } from '../../db/queries/holds.ts';
import { appendEntries } from '../../db/queries/ledger-entries.ts';
import type { HoldRow, HoldState, Queryable, Trx } from '../../db/schema.ts';
import type { Clock } from '../base/clock.ts';
import { ServiceError } from '../base/errors.ts';
import { derivedId } from '../base/ids.ts';
import { type MicroUsd, ZERO, micros, subtractMicros } from '../base/money.ts';
import { type Budget, type BudgetView, viewBudget } from './budget.ts';
import { type Window, windowAt } from './period.ts';
import {
  type Posting,
  type Transfer,
  planAdjustment,
  planCharge,
  planRelease,
  planResize,
} from './posting.ts';

export interface HoldRequest {
  /** The job or session that the money is for; one hold each, for ever. */
  readonly subject: string;
  readonly guildId: string;
  readonly userId: string;
  readonly capability: string;
  /** More than zero. */
  readonly amount: MicroUsd;
  /** JSON: the rates that `amount` was computed from. */
  readonly rateCard: string;
}

/** A repeat answers with the `amount` that is held, whatever it asks for. */
export type HoldOutcome =
  | { readonly held: true; readonly amount: MicroUsd; readonly budget: BudgetView }
  | { readonly held: false; readonly needed: MicroUsd; readonly budget: BudgetView };

/** How a subject stands now. */
export interface Settlement {
  /** `posted` and `voided` are final; `review` keeps the amount held until one of them. */
  readonly state: HoldState;
  readonly held: MicroUsd;
  readonly charged: MicroUsd;
  /** The part of `charged` that no hold covered. */
  readonly overrun: MicroUsd;
  /** What this call added to the guild's spending: 0 for a repeat, negative for a correction downwards. */
  readonly change: MicroUsd;
}

/** Nothing was ever held for the subject. */
export class LedgerError extends ServiceError<'unknown_subject'> {}

/**
 * Budgets and spending of guilds, as an append-only double-entry ledger with running totals. Every method
 * is part of the caller's transaction, takes the same time however long the history, and is harmless to repeat.
 */
export class Ledger {
  readonly #clock: Clock;
  readonly #defaultBudget: Budget;

  constructor(options: { readonly clock: Clock; readonly defaultBudget: Budget }) {
    this.#clock = options.clock;
    this.#defaultBudget = options.defaultBudget;
  }

  /**
   * Sets `amount` aside in the guild's current period, or says that it does not fit. What is set aside counts
   * against the limit until `post` or `void`. Throws `RangeError` unless the amount is above zero.
   */
  async hold(trx: Trx, request: HoldRequest): Promise<HoldOutcome> {
    if (micros(request.amount) <= 0) throw new RangeError('Cannot hold an amount that is not above zero');
    const earlier = await findHold(trx, request.subject);
    if (earlier) {
      return {
        held: true,
        amount: earlier.amount_micros,
        budget: await this.budget(trx, request.guildId),
      };
    }
    const { budget, window, key } = await this.#current(trx, request.guildId);
    await ensureBudgetPeriod(trx, key, window.endsAtMs);
    const totals = await addPendingWithin(trx, key, { amount: request.amount, limit: budget.limit });
    if (!totals) {
      const view = viewBudget(budget, window, await findBudgetPeriod(trx, key));
      return { held: false, needed: request.amount, budget: view };
    }
    await this.#record(trx, request, key);
    return { held: true, amount: request.amount, budget: viewBudget(budget, window, totals) };
  }

  /**
   * Sets another amount aside than `hold` did, once it is better known what a job will cost, in the period of the
   * hold. More than fits changes nothing. A hold that is no longer pending stays as it is. Throws `LedgerError` for a
   * subject without hold, `RangeError` unless the amount is above zero.
   */
  async resize(
    trx: Trx,
    request: { readonly subject: string; readonly amount: MicroUsd; readonly rateCard: string },
  ): Promise<HoldOutcome> {
    const { subject, amount, rateCard } = request;
    if (micros(amount) <= 0) throw new RangeError('Cannot hold an amount that is not above zero');
    const hold = await this.#hold(trx, subject);
    const isPending = hold.state === 'pending';
    if (isPending && !(await this.#change(trx, hold, amount))) {
      return { held: false, needed: amount, budget: await this.budget(trx, hold.guild_id) };
    }
    if (isPending && amount !== hold.amount_micros) {
      await this.#append(trx, hold, planResize(hold, amount));
      await updateHold(trx, subject, { state: 'pending', amount_micros: amount, rate_card: rateCard });
    }
    const budget = await this.budget(trx, hold.guild_id);
    return { held: true, amount: isPending ? amount : hold.amount_micros, budget };
  }

  /**
   * Books what the service charged in place of the hold, in the period of the hold. Less frees the rest; more is
   * booked in full with the excess as overrun. A later different figure becomes an adjustment, also after `void`;
   * one learned before (`asOfMs`, default now) the one on record changes nothing.
   * Throws `LedgerError` for a subject without hold, `RangeError` for a negative charge.
   */
  async post(
    trx: Trx,
    options: { readonly subject: string; readonly charged: MicroUsd; readonly asOfMs?: number },
  ): Promise<Settlement> {
    const { subject, charged, asOfMs = this.#clock.now() } = options;
    if (micros(charged) < 0) throw new RangeError('Cannot post a negative charge');
    const hold = await this.#hold(trx, subject);
    const isOpen = hold.state === 'pending' || hold.state === 'review';
    if (!isOpen && hold.charged_as_of_ms !== null && asOfMs < hold.charged_as_of_ms)
      return settlementOf(hold);
    const posting = isOpen ? planCharge(hold, charged) : planAdjustment(hold, charged);
    return this.#book(trx, hold, posting, {
      state: hold.state === 'voided' ? 'voided' : 'posted',
      charged_as_of_ms: asOfMs,
    });
  }

  /** Frees the whole hold. After `post` it changes nothing: see the returned state. Throws `LedgerError`. */
  async void(trx: Trx, options: { readonly subject: string }): Promise<Settlement> {
    const hold = await this.#hold(trx, options.subject);
    if (hold.state === 'posted' || hold.state === 'voided') return settlementOf(hold);
    return this.#book(trx, hold, planRelease(hold), { state: 'voided' });
  }

  /** Marks a hold whose charge may never be learned; it stays held. Changes nothing once resolved. Throws `LedgerError`. */
  async review(trx: Trx, options: { readonly subject: string }): Promise<Settlement> {
    const hold = await this.#hold(trx, options.subject);
    if (hold.state !== 'pending') return settlementOf(hold);
    return settlementOf(await updateHold(trx, hold.subject, { state: 'review' }));
  }

  /** How the guild's budget stands in its current period. */
  async budget(db: Queryable, guildId: string): Promise<BudgetView> {
    const { budget, window, key } = await this.#current(db, guildId);
    return viewBudget(budget, window, await findBudgetPeriod(db, key));
  }

  async #current(
    db: Queryable,
    guildId: string,
  ): Promise<{ budget: Budget; window: Window; key: PeriodKey }> {
    const own = await findBudget(db, guildId);
    const budget = own
      ? { limit: own.limit_micros, period: own.period, timeZone: own.time_zone }
      : this.#defaultBudget;
    const window = windowAt(budget.period, budget.timeZone, this.#clock.now());
    return { budget, window, key: { guildId, startsAtMs: window.startsAtMs } };
  }

  async #record(trx: Trx, request: HoldRequest, key: PeriodKey): Promise<void> {
    const { subject, amount } = request;
    const nowMs = this.#clock.now();
    await insertHold(trx, {
      id: derivedId('hold', subject),
      subject,
      guild_id: request.guildId,
      user_id: request.userId,
      capability: request.capability,
      amount_micros: amount,
      state: 'pending',
      period_starts_at_ms: key.startsAtMs,
      rate_card: request.rateCard,
      created_at_ms: nowMs,
    });
    await appendEntries(trx, [
      {
        subject,
        kind: 'hold',
        guild_id: key.guildId,
        period_starts_at_ms: key.startsAtMs,
        debit_account: 'pending',
        credit_account: 'budget',
        amount_micros: amount,
        created_at_ms: nowMs,
      },
    ]);
  }

  async #hold(trx: Trx, subject: string): Promise<HoldRow> {
    const hold = await findHold(trx, subject);
    if (!hold)
      throw new LedgerError('unknown_subject', `Cannot settle "${subject}": nothing was held for it`);
    return hold;
  }

  /** Makes the pending total fit another amount; false when there is no room for it. */
  async #change(trx: Trx, hold: HoldRow, amount: MicroUsd): Promise<boolean> {
    const key = { guildId: hold.guild_id, startsAtMs: hold.period_starts_at_ms };
    const difference = amount - hold.amount_micros;
    if (difference < 0) await changeTotals(trx, key, { posted: 0, pending: difference, overrun: 0 });
    if (difference <= 0) return true;
    const { budget } = await this.#current(trx, hold.guild_id);
    const added = { amount: micros(difference), limit: budget.limit };
    return (await addPendingWithin(trx, key, added)) !== undefined;
  }

  async #append(trx: Trx, hold: HoldRow, transfers: readonly Transfer[]): Promise<void> {
    const place = { guild_id: hold.guild_id, period_starts_at_ms: hold.period_starts_at_ms };
    const common = { ...place, subject: hold.subject, created_at_ms: this.#clock.now() };
    await appendEntries(
      trx,
      transfers.map((transfer) => ({ ...transfer, ...common })),
    );
  }

  async #book(
    trx: Trx,
    hold: HoldRow,
    posting: Posting,
    next: { readonly state: HoldState; readonly charged_as_of_ms?: number },
  ): Promise<Settlement> {
    const nowMs = this.#clock.now();
    const key = { guildId: hold.guild_id, startsAtMs: hold.period_starts_at_ms };
    await changeTotals(trx, key, posting.totals);
    await this.#append(trx, hold, posting.transfers);
    const updated = await updateHold(trx, hold.subject, {
      ...next,
      charged_micros: posting.charged,
      overrun_micros: posting.overrun,
      resolved_at_ms: hold.resolved_at_ms ?? nowMs,
    });
    return settlementOf(updated, subtractMicros(posting.charged, hold.charged_micros));
  }
}

function settlementOf(hold: HoldRow, change: MicroUsd = ZERO): Settlement {
  return {
    state: hold.state,
    held: hold.amount_micros,
    charged: hold.charged_micros,
    overrun: hold.overrun_micros,
    change,
  };
}
