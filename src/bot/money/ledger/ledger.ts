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
  /** The job or session that the money is for. A subject never has a second hold. */
  readonly subject: string;
  /** Must be above zero. */
  readonly amount: MicroUsd;
  /** The rates from which `amount` was computed, as JSON. */
  readonly rateCard: string;
}

/**
 * The result of a hold. A repeated request returns the `amount` that is already held. A refusal names the cap with the
 * least left.
 */
export type HoldOutcome =
  | { readonly held: true; readonly amount: MicroUsd; readonly budget: BudgetView }
  | { readonly held: false; readonly needed: MicroUsd; readonly cap: CapView };

/** The state and the amounts of a subject's hold. */
export interface Settlement {
  /** `posted` and `voided` are final. `review` keeps the amount held until one of them follows. */
  readonly state: HoldState;
  readonly held: MicroUsd;
  readonly charged: MicroUsd;
  /** The part of `charged` that exceeded the hold. */
  readonly overrun: MicroUsd;
  /**
   * The amount that this call added to the guild's spending: 0 for a repeated call, negative for a downward correction.
   */
  readonly change: MicroUsd;
}

/** An alert with current figures. */
interface AlertNow {
  readonly row: BudgetAlertRow;
  /** The highest alert percentage that the used amount of the cap has reached; 0 if it has reached none. */
  readonly reached: number;
}

/** The subject has no hold. */
class LedgerError extends ServiceError<'unknown_subject'> {}

/**
 * Guild caps and guild spending: an append-only double-entry ledger with running totals. Every method that writes runs
 * in the caller's transaction, takes the same time however long the history is, and changes nothing more when it is
 * repeated.
 */
export class Ledger {
  /** The charges far above their holds. A member's new jobs wait until the member's charge is reviewed. */
  readonly watches: OverrunWatches;
  readonly #clock: Clock;
  readonly #limits: Limits;

  constructor(options: {
    readonly clock: Clock;
    readonly defaultBudget: Budget;
    /**
     * The allowance of every guild for which the operator set no other. Default: admins may set budgets of any size.
     */
    readonly allowance?: Amount | undefined;
    /**
     * Returns the pseudonym of a member whose data was removed. By default, the ledger assumes that no data is ever
     * removed.
     */
    readonly pseudonymOf?: PseudonymOf | undefined;
  }) {
    const { clock, defaultBudget, allowance = null, pseudonymOf = String } = options;
    this.#clock = clock;
    this.#limits = new Limits({ clock, usual: { ...defaultBudget, allowance }, pseudonymOf });
    this.watches = new OverrunWatches({ clock, pseudonymOf });
  }

  /**
   * Sets `amount` aside if every cap that applies allows it; otherwise returns a cap that does not. The amount counts
   * against the caps until `post` or `void` is called. Throws `RangeError` unless the amount is above zero.
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
   * Changes the held amount once the cost of a job is better known, and stores the new rates. The new amount counts in
   * the windows of the old one. If a cap does not allow the new amount, nothing changes, and the result names that cap,
   * with its amounts as if this hold did not exist. A hold that is no longer pending stays unchanged. Throws
   * `LedgerError` for a subject without a hold, and `RangeError` unless the amount is above zero.
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
    // The amount may be unchanged, because files of different lengths may cost the same. The rates are stored in any
    // case, so that they explain the last quote.
    if (isPending) await updateHold(trx, hold, { amount_micros: amount, rate_card: rateCard });
    const budget = await this.budget(trx, hold.guild_id);
    return { held: true, amount: isPending ? amount : hold.amount_micros, budget };
  }

  /**
   * Books the service's charge in place of the hold, in the hold's windows. A lower charge frees the rest of the hold.
   * A higher charge is booked in full, with the excess as overrun. A different charge that is posted later becomes an
   * adjustment, even after `void`. A charge that was learned earlier (`asOfMs`, default now) than the booked one
   * changes nothing. A charge of more than twice its hold is stored in `overrun_watches` until it is reviewed or a
   * correction reduces it. Throws `LedgerError` for a subject without a hold, and `RangeError` for a negative charge.
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

  /**
   * Frees the whole hold. After `post` it changes nothing, as the returned state shows. Throws `LedgerError` for a
   * subject without a hold.
   */
  async void(trx: Trx, options: { readonly subject: string }): Promise<Settlement> {
    const hold = await this.#hold(trx, options.subject);
    if (hold.state === 'posted' || hold.state === 'voided') return settlementOf(hold);
    return this.#book(trx, hold, planRelease(hold), { state: 'voided' });
  }

  /**
   * Marks a hold whose charge may never be learned. The amount stays held. A resolved hold stays unchanged. Throws
   * `LedgerError` for a subject without a hold.
   */
  async review(trx: Trx, options: { readonly subject: string }): Promise<Settlement> {
    const hold = await this.#hold(trx, options.subject);
    if (hold.state !== 'pending') return settlementOf(hold);
    return settlementOf(await updateHold(trx, hold, { state: 'review' }));
  }

  /** Returns the guild's budget: of the caps on all of the guild's spending, the one with the least left. */
  async budget(db: Queryable, guildId: string): Promise<BudgetView> {
    return this.#limits.budget(db, guildId);
  }

  /**
   * Returns the caps that apply to a guild and, if a member with their roles is given, to that member, with their
   * current amounts. Includes both caps on all capabilities together and caps on single ones.
   */
  async views(
    db: Queryable,
    guildId: string,
    member?: { readonly userId?: string; readonly roleIds?: readonly string[] },
  ): Promise<CapView[]> {
    return this.#limits.views(db, guildId, member);
  }

  /** Whether amounts spent before the member's data was removed count against one of the member's limits. */
  countsFromBefore(
    db: Queryable,
    guildId: string,
    member: { readonly userId: string; readonly roleIds: readonly string[] },
  ): Promise<boolean> {
    return this.#limits.countsFromBefore(db, guildId, member);
  }

  /**
   * Returns all of a guild's caps for its managers, including role and member caps. At most `limit` of them are stored
   * caps.
   */
  async caps(
    db: Queryable,
    guildId: string,
    limit: number,
    isWanted?: (cap: Cap) => boolean,
  ): Promise<ListedCap[]> {
    return this.#limits.list(db, guildId, limit, isWanted);
  }

  /** Returns an alert with the current figures of its cap; `undefined` if the cap no longer applies. */
  async alertNow(db: Queryable, alert: BudgetAlertRow): Promise<AlertNow | undefined> {
    const { guild_id: guildId, user_id: userId, target_id: targetId, capability, period } = alert;
    const target = targetOf(alert.target_kind, targetId);
    const spender = { guildId, userId, roleIds: target.kind === 'role' ? [target.roleId] : [], capability };
    const key = { target, capability: capability === '' ? null : capability, period };
    const metered = await this.#limits.standing(db, spender, key);
    if (!metered) return undefined;
    // If the window has ended, the alert keeps its stored figures.
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
   * Inserts alerts for the percentages that the caps on a guild and on single members have reached by now. It reads at
   * most `limit` stored caps. Existing alerts for the same window stay unchanged.
   */
  async noteReached(
    trx: Trx,
    guildId: string,
    of: { readonly limit: number; readonly isWanted: (cap: Cap) => boolean },
  ): Promise<void> {
    const metered = await this.#limits.standings(trx, guildId, of);
    await insertAlerts(trx, reachedAlerts(metered, this.#clock.now()));
  }

  /** Returns the time span that covers the current windows of a guild's limits, except those without an end. */
  limitSpan(db: Queryable, guildId: string): Promise<Window> {
    return this.#limits.span(db, guildId);
  }

  async #hold(trx: Trx, subject: string): Promise<HoldRow> {
    const hold = await findHold(trx, subject);
    if (!hold) throw new LedgerError('unknown_subject', `Cannot settle "${subject}": it has no hold`);
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

/** Returns the cap with the least left among those that do not allow `more`; `undefined` if all allow it. */
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
