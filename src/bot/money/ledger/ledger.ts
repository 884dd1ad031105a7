import { insertAlerts } from '../../../../db/queries/budget-alerts.ts';
import { type NewHold, findHold, insertHold, updateHold } from '../../../../db/queries/holds.ts';
import { appendEntries, findLastEntryId } from '../../../../db/queries/ledger-entries.ts';
import { type MeterPlace, changeMeters } from '../../../../db/queries/meters.ts';
import { type TotalsChange, addPending, changeSpending } from '../../../../db/queries/spending.ts';
import type { PseudonymOf } from '../../../../db/pseudonyms.ts';
import type { Queryable, Trx } from '../../../../db/schema.ts';
import type { BudgetAlertRow } from '../../../../db/schema/alerts.ts';
import type { HoldRow, HoldState } from '../../../../db/schema/ledger.ts';
import type { Clock } from '../../../base/clock.ts';
import { ServiceError } from '../../../base/errors.ts';
import { type MicroUsd, ZERO, addMicros, micros, subtractMicros } from '../../../base/money.ts';
import type { Spender } from '../caps/caps-for.ts';
import { type Budget, type BudgetView, budgetOf, shortestOf } from '../caps/budget.ts';
import type { Cap, CapView, ListedCap } from '../caps/cap.ts';
import { targetOf } from '../caps/cap-of.ts';
import { Limits } from '../caps/limits.ts';
import { type MeteredCap, usedOf, viewOf } from '../caps/metered-cap.ts';
import { OverrunWatches } from './overrun-watches.ts';
import {
  type Posting,
  type Transfer,
  planAdjustment,
  planCharge,
  planRelease,
  planResize,
} from './posting.ts';
import type { Window } from '../caps/window.ts';
import { highestReached, reachedAlerts } from '../caps/reached-alerts.ts';
import { slotOf } from '../caps/slot-of.ts';
import type { Amount } from '../caps/usual-caps.ts';

export interface HoldRequest extends Spender {
  /** The job or session that the money is for; one hold each, for ever. */
  readonly subject: string;
  /** More than zero. */
  readonly amount: MicroUsd;
  /** JSON: the rates that `amount` was computed from. */
  readonly rateCard: string;
}

/** A repeat answers with the `amount` that is held, whatever it asks for. Refused: with the cap that has the least left. */
export type HoldOutcome =
  | { readonly held: true; readonly amount: MicroUsd; readonly budget: BudgetView }
  | { readonly held: false; readonly needed: MicroUsd; readonly cap: CapView };

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

/** An alert with the figures of now. */
interface AlertNow {
  readonly row: BudgetAlertRow;
  /** The highest part that its cap has reached now; 0 for none. */
  readonly reached: number;
}

/** Nothing was ever held for the subject. */
export class LedgerError extends ServiceError<'unknown_subject'> {}

/**
 * Caps and spending of guilds, as an append-only double-entry ledger with running totals. Every method that writes
 * is part of the caller's transaction, takes the same time however long the history, and is harmless to repeat.
 */
export class Ledger {
  /** Charges far above their holds, for which the members' next jobs wait. */
  readonly watches: OverrunWatches;
  readonly #clock: Clock;
  readonly #limits: Limits;

  constructor(options: {
    readonly clock: Clock;
    readonly defaultBudget: Budget;
    /** What no guild can spend more than unless the operator said otherwise. Default none. */
    readonly allowance?: Amount | undefined;
    /** How members are called whose data was removed. Default: nobody's ever is. */
    readonly pseudonymOf?: PseudonymOf | undefined;
  }) {
    const { clock, defaultBudget, allowance = null, pseudonymOf = String } = options;
    this.#clock = clock;
    this.#limits = new Limits({ clock, usual: { ...defaultBudget, allowance }, pseudonymOf });
    this.watches = new OverrunWatches({ clock, pseudonymOf });
  }

  /**
   * Sets `amount` aside if every cap that applies allows it now, or says which one does not. What is set aside counts
   * against them until `post` or `void`. Throws `RangeError` unless the amount is above zero.
   */
  async hold(trx: Trx, request: HoldRequest): Promise<HoldOutcome> {
    const { subject, guildId, amount } = request;
    if (micros(amount) <= 0) throw new RangeError('Cannot hold an amount that is not above zero');
    const earlier = await findHold(trx, subject);
    if (earlier) {
      return { held: true, amount: earlier.amount_micros, budget: await this.budget(trx, guildId) };
    }
    const nowMs = this.#clock.now();
    const metered = await this.#limits.meter(trx, request, slotOf(nowMs));
    const short = shortestFor(metered, amount);
    if (short) return { held: false, needed: amount, cap: short };
    const hold = holdRow(request, metered, nowMs);
    await insertHold(trx, hold);
    await appendEntries(trx, [
      {
        subject,
        kind: 'hold',
        guild_id: guildId,
        slot_ms: hold.slot_ms,
        debit_account: 'pending',
        credit_account: 'budget',
        amount_micros: amount,
        corrects: null,
        created_at_ms: nowMs,
      },
    ]);
    await addPending(trx, placeOf(hold), amount);
    await changeMeters(trx, placeOf(hold), { posted: 0, pending: amount, overrun: 0 });
    const after = afterPending(metered, amount);
    await insertAlerts(trx, reachedAlerts(after, nowMs));
    return { held: true, amount, budget: budgetOf(after.map(viewOf)) };
  }

  /**
   * Sets another amount aside than `hold` did, once it is better known what a job will cost, in the windows of the
   * hold, and keeps the new rates. More than fits changes nothing, and the answer names a cap as it stands without this
   * hold. A hold that is no longer pending stays as it is. Throws `LedgerError` for a
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
    if (isPending && amount !== hold.amount_micros) {
      const more = subtractMicros(amount, hold.amount_micros);
      if (more > 0) {
        const metered = await this.#limits.meter(trx, spenderOf(hold), hold.slot_ms);
        const without = afterPending(metered, subtractMicros(ZERO, hold.amount_micros));
        const short = shortestFor(without, amount);
        if (short) return { held: false, needed: amount, cap: short };
        await insertAlerts(trx, reachedAlerts(afterPending(metered, more), this.#clock.now()));
      }
      await this.#change(trx, hold, { posted: 0, pending: more, overrun: 0 });
      await this.#append(trx, hold, planResize(hold, amount));
    }
    // Another length may come to the same amount: what is kept explains the last quote.
    if (isPending) await updateHold(trx, hold, { amount_micros: amount, rate_card: rateCard });
    const budget = await this.budget(trx, hold.guild_id);
    return { held: true, amount: isPending ? amount : hold.amount_micros, budget };
  }

  /**
   * Books what the service charged in place of the hold, in the windows of the hold. Less frees the rest; more is
   * booked in full with the excess as overrun. A later different figure becomes an adjustment, also after `void`;
   * one learned before (`asOfMs`, default now) the one on record changes nothing. A charge of more than twice its hold
   * is kept in `overrun_watches` until somebody has looked at it, or a correction brings it down.
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
    await this.watches.note(trx, hold, posting.charged);
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
    return settlementOf(await updateHold(trx, hold, { state: 'review' }));
  }

  /** How the guild's budget stands: of the caps on everything that it spends, the one with the least left. */
  async budget(db: Queryable, guildId: string): Promise<BudgetView> {
    return this.#limits.budget(db, guildId);
  }

  /** How the caps stand that count for a guild and, if named, for a member with these roles; of all capabilities. */
  async views(
    db: Queryable,
    guildId: string,
    member?: { readonly userId?: string; readonly roleIds?: readonly string[] },
  ): Promise<CapView[]> {
    return this.#limits.views(db, guildId, member);
  }

  /** Whether something counts against a limit of the member from before their data was removed. */
  countsFromBefore(
    db: Queryable,
    guildId: string,
    member: { readonly userId: string; readonly roleIds: readonly string[] },
  ): Promise<boolean> {
    return this.#limits.countsFromBefore(db, guildId, member);
  }

  /** Every cap of a guild for those who manage them, also of roles and members, at most `limit` of those that were set. */
  async caps(
    db: Queryable,
    guildId: string,
    limit: number,
    isWanted?: (cap: Cap) => boolean,
  ): Promise<ListedCap[]> {
    return this.#limits.list(db, guildId, limit, isWanted);
  }

  /** How a cap of a noted alert stands now: undefined if it does not count any more. */
  async alertNow(db: Queryable, alert: BudgetAlertRow): Promise<AlertNow | undefined> {
    const { guild_id: guildId, user_id: userId, target_id: targetId, capability, period } = alert;
    const target = targetOf(alert.target_kind, targetId);
    const spender = { guildId, userId, roleIds: target.kind === 'role' ? [target.roleId] : [], capability };
    const key = { target, capability: capability === '' ? null : capability, period };
    const metered = await this.#limits.standing(db, spender, key);
    if (!metered) return undefined;
    // If the window has ended, the alert says what was noted.
    if (metered.window.beganMs !== alert.starts_at_ms) return { row: alert, reached: alert.percent };
    const now = {
      ends_at_ms: metered.window.endsAtMs,
      limit_micros: metered.cap.limit,
      used_micros: usedOf(metered),
      pending_micros: metered.totals.pending,
    };
    return { row: { ...alert, ...now }, reached: highestReached(metered) };
  }

  /**
   * Notes the parts that these caps of a guild and of single members have reached now, at most `limit` of those that
   * were set; what was noted before in the same window stays as it was.
   */
  async noteReached(
    trx: Trx,
    guildId: string,
    of: { readonly limit: number; readonly isWanted: (cap: Cap) => boolean },
  ): Promise<void> {
    const metered = await this.#limits.standings(trx, guildId, of);
    await insertAlerts(trx, reachedAlerts(metered, this.#clock.now()));
  }

  /** Within which time limits that end can still read what members used in a guild. */
  limitSpan(db: Queryable, guildId: string): Promise<Window> {
    return this.#limits.span(db, guildId);
  }

  async #hold(trx: Trx, subject: string): Promise<HoldRow> {
    const hold = await findHold(trx, subject);
    if (!hold)
      throw new LedgerError('unknown_subject', `Cannot settle "${subject}": nothing was held for it`);
    return hold;
  }

  async #change(trx: Trx, hold: HoldRow, change: TotalsChange): Promise<void> {
    await changeSpending(trx, placeOf(hold), change);
    await changeMeters(trx, placeOf(hold), change);
  }

  async #append(trx: Trx, hold: HoldRow, transfers: readonly Transfer[]): Promise<void> {
    if (transfers.length === 0) return;
    const isCorrection = transfers.some(({ kind }) => kind === 'adjustment');
    const corrects = isCorrection ? await findLastEntryId(trx, hold.subject) : null;
    const { guild_id, slot_ms, subject } = hold;
    const common = { guild_id, slot_ms, subject, corrects, created_at_ms: this.#clock.now() };
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
    const { posted, pending, overrun } = posting.totals;
    if (posted !== 0 || pending !== 0 || overrun !== 0) await this.#change(trx, hold, posting.totals);
    await this.#append(trx, hold, posting.transfers);
    const updated = await updateHold(trx, hold, {
      ...next,
      charged_micros: posting.charged,
      overrun_micros: posting.overrun,
      resolved_at_ms: hold.resolved_at_ms ?? nowMs,
    });
    if (posted + pending > 0) {
      const metered = await this.#limits.meter(trx, spenderOf(hold), hold.slot_ms);
      await insertAlerts(trx, reachedAlerts(metered, nowMs));
    }
    return settlementOf(updated, subtractMicros(posting.charged, hold.charged_micros));
  }
}

/** Of the caps that do not allow `more`, the one with the least left. */
function shortestFor(metered: readonly MeteredCap[], more: MicroUsd): CapView | undefined {
  return shortestOf(metered.filter((one) => usedOf(one) + more > one.cap.limit).map(viewOf));
}

function afterPending(metered: readonly MeteredCap[], more: MicroUsd): MeteredCap[] {
  return metered.map((one) => ({
    ...one,
    totals: { ...one.totals, pending: addMicros(one.totals.pending, more) },
  }));
}

function holdRow(request: HoldRequest, metered: readonly MeteredCap[], nowMs: number): NewHold {
  const roleIds = metered.map(({ cap }) => (cap.target.kind === 'role' ? cap.target.roleId : ''));
  return {
    subject: request.subject,
    guild_id: request.guildId,
    user_id: request.userId,
    role_ids: [...new Set(roleIds)].filter((id) => id !== '').join(','),
    capability: request.capability,
    amount_micros: request.amount,
    slot_ms: slotOf(nowMs),
    rate_card: request.rateCard,
    created_at_ms: nowMs,
  };
}

function placeOf(hold: Pick<HoldRow, 'guild_id' | 'user_id' | 'capability' | 'slot_ms'>): MeterPlace {
  return {
    guildId: hold.guild_id,
    userId: hold.user_id,
    capability: hold.capability,
    slotMs: hold.slot_ms,
  };
}

function spenderOf(hold: HoldRow): Spender {
  const roleIds = hold.role_ids === '' ? [] : hold.role_ids.split(',');
  return { guildId: hold.guild_id, userId: hold.user_id, capability: hold.capability, roleIds };
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
