import type { WatchedMember } from '../../../../db/queries/overruns.ts';
import type { HoldState } from '../../../../db/schema/ledger.ts';
import type { MicroUsd } from '../../../base/money.ts';
import type { CallOrigin } from '../../jobs/ports.ts';
import type { Told } from '../../money/alerts/alert-ports.ts';
import type { CapView } from '../../money/caps/cap.ts';
import type { Overrun, OverrunsShown, WatchedCharge } from '../../money/overruns/overrun-ports.ts';
import type { Amount } from '../../money/caps/usual-caps.ts';

/** What the operator has to see to. */
export type OperatorAlert =
  /** The account holds less than `threshold`, or than what is set aside for work under way. */
  | {
      readonly kind: 'low_balance';
      readonly balance: MicroUsd;
      readonly held: MicroUsd;
      readonly threshold: MicroUsd;
    }
  /** Work that costs about `needed` could not begin, by what was known of the account (null: nothing) or by its service. */
  | {
      readonly kind: 'account_empty';
      readonly needed: MicroUsd;
      readonly balance: MicroUsd | null;
      readonly by: 'balance' | 'service';
    }
  | { readonly kind: 'key_refused' }
  /** The account is used beside the guilds' jobs: in calls that are known, and in what nothing explains. */
  | { readonly kind: 'other_use'; readonly foreign: MicroUsd; readonly drift: MicroUsd }
  /** Charges far above their holds: the oldest one that is not reviewed. New jobs of its member wait in that guild. */
  | {
      readonly kind: 'overrun';
      readonly guildId: string;
      readonly capability: string;
      readonly held: MicroUsd;
      readonly charged: MicroUsd;
    }
  /** The service charged for a job that failed there. */
  | { readonly kind: 'charged_failure'; readonly jobId: string; readonly charged: MicroUsd };

/** An alert with what makes its message recognisable. */
export interface OperatorNote {
  readonly id: string;
  readonly madeAtMs: number;
  readonly alert: OperatorAlert;
}

/** Tells the operator. Implemented in `src/bot/discord/cards/alert-channels.ts`. */
export interface OperatorChannel {
  /** As `BudgetAlertChannel.tellBudget`. */
  tellOperator(
    channelId: string,
    note: OperatorNote,
    options: { readonly isRepeat: boolean; readonly signal: AbortSignal },
  ): Promise<Told>;
}

/** `see` looks at everything, `change` also changes it. */
export type OperatorRights = 'none' | 'see' | 'change';

/** Who runs the bot. Implemented in `src/bot/discord/wire/application-team.ts`. */
export interface Operators {
  /** Throws when the chat could not be asked. */
  rightsOf(userId: string): Promise<OperatorRights>;
}

/** The guilds that this process knows by name. Implemented in `src/bot/discord/wire/guild-presence.ts`. */
export interface GuildNames {
  /** Untrusted text; null for a guild that is not known here. */
  nameOf(guildId: string): string | null;
  ids(): readonly string[];
}

/** What the operator allows guilds. Implemented in `src/bot/money/budgets/guild-budgets.ts`. */
export interface Allowances {
  /** The most that the guild's admins can set; null goes back to the usual. */
  allow(guildId: string, allowance: Amount | null, byUserId: string): Promise<void>;
}

export interface GuildFigures {
  readonly guildId: string;
  readonly name: string | null;
  /** In this month (UTC). */
  readonly spent: MicroUsd;
  readonly held: MicroUsd;
  readonly isPaused: boolean;
}

/** A guild with what limits all of it: the allowance first. */
export interface GuildLine extends GuildFigures {
  readonly caps: readonly CapView[];
}

export interface HoldSums {
  readonly count: number;
  readonly amount: MicroUsd;
  readonly oldestAtMs: number | null;
}

/** What the last comparison of the books with the service found; see `src/bot/money/reconciliation`. */
export interface Comparison {
  readonly madeAtMs: number;
  /** False when the service's usage log had gaps. */
  readonly isComplete: boolean;
  /** What the account was used for by others, as far as single calls are known. */
  readonly foreign: MicroUsd;
  /** What nobody explains: above 0 at the service, below 0 in the books. */
  readonly drift: MicroUsd;
}

export interface OperatorStatus {
  /** As last read; null before the first time. */
  readonly account: { readonly balance: MicroUsd; readonly asOfMs: number } | null;
  /** Of all guilds, in this month (UTC). */
  readonly spent: MicroUsd;
  readonly guildCount: number;
  /** Who spent most this month, most first. */
  readonly top: readonly GuildFigures[];
  readonly pending: HoldSums;
  readonly review: HoldSums;
  /** Number of usage records whose owner the operator has to decide. */
  readonly records: number;
  /** Null before the first one. */
  readonly comparison: Comparison | null;
  readonly isPaused: boolean;
  readonly pausedGuilds: number;
  readonly alerts: readonly OperatorAlert[];
}

export interface HoldLine {
  readonly subject: string;
  readonly guildId: string;
  readonly guildName: string | null;
  readonly capability: string;
  readonly amount: MicroUsd;
  readonly state: HoldState;
  readonly heldAtMs: number;
  /** Usage records that may belong to the call of this hold. The operator decides. */
  readonly records: readonly SuggestedRecord[];
}

/** A record of the service's usage log that may belong to a hold, or to another user of the account. */
export interface SuggestedRecord {
  readonly id: string;
  readonly charged: MicroUsd;
  readonly recordedAtMs: number;
}

/** One page, from 0. */
export interface Page<T> {
  readonly lines: readonly T[];
  readonly page: number;
  readonly hasMore: boolean;
}

/** What was done about a hold in review. */
export type Resolved =
  | { readonly outcome: 'resolved'; readonly charged: MicroUsd }
  | { readonly outcome: 'refused'; readonly why: 'not_found' | 'not_in_review' };

/** The decision about a usage record. `subject` is null for other use of the account. */
export type Assigned =
  | { readonly outcome: 'assigned'; readonly charged: MicroUsd | null; readonly subject: string | null }
  | { readonly outcome: 'refused'; readonly why: 'not_suggested' | 'not_in_review' | 'decided' };

/**
 * What the operator sees and does. Every method asks anew who runs the bot, and throws an `OperatorError` with words
 * for whoever may not.
 */
export interface OperatorDesk {
  status(origin: CallOrigin): Promise<OperatorStatus>;
  /** Who spent most this month first. */
  guilds(origin: CallOrigin, page: number): Promise<Page<GuildLine>>;
  /** Pending and in review, oldest first. */
  holds(origin: CallOrigin, page: number): Promise<Page<HoldLine>>;
  /** Charges above their holds, newest first, and the members whose new jobs wait because of one. */
  overruns(origin: CallOrigin, page: number): Promise<Page<Overrun> & Pick<OverrunsShown, 'waiting'>>;
  /**
   * Records that the operator reviewed a member's charge, so that the member's jobs go on. Returns false if no charge
   * waited for a review.
   */
  release(origin: CallOrigin, member: WatchedMember): Promise<boolean>;
  /** Ends a hold in review: with what the service charged, or, with 0, freed. */
  resolve(origin: CallOrigin, subject: string, charged: MicroUsd): Promise<Resolved>;
  /**
   * Books a suggested usage record as the call of a hold, or (null) as other use of the account, which no guild pays.
   * The decision is final: a repeat changes nothing.
   */
  assign(origin: CallOrigin, recordId: string, subject: string | null): Promise<Assigned>;
  /** Null takes the allowance away. */
  allow(origin: CallOrigin, guildId: string, allowance: Amount | null): Promise<void>;
  /** No new work is taken on, of one guild or (null) of all. False when that was so already. */
  pause(origin: CallOrigin, guildId: string | null): Promise<boolean>;
  resume(origin: CallOrigin, guildId: string | null): Promise<boolean>;
  /** Guilds whose name or id holds what was typed; none for whoever may not see them. */
  suggestGuilds(
    origin: CallOrigin,
    typed: string,
  ): Promise<readonly { readonly guildId: string; readonly name: string | null }[]>;
  /** Members whose jobs wait for a review, oldest first; empty if the caller may not see them. */
  suggestReleases(origin: CallOrigin): Promise<readonly WatchedCharge[]>;
  /** Holds in review, oldest first; none for whoever may not see them. */
  suggestReviews(origin: CallOrigin): Promise<readonly HoldLine[]>;
  /** Usage records that wait for a decision, newest first; empty if the caller may not see them. */
  suggestRecords(origin: CallOrigin): Promise<readonly SuggestedRecord[]>;
  /** Holds that a usage record may belong to; empty if the caller may not see them. */
  suggestOwners(origin: CallOrigin, recordId: string): Promise<readonly HoldLine[]>;
}
