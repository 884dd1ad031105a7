import type { MicroUsd } from '../../../base/money.ts';
import type { CapView } from '../../money/caps/cap.ts';
import type { Paused } from '../../money/ledger/spending-gate.ts';
import type { InputProblem } from '../inputs/inputs.ts';

/** Why a command was refused. Nothing was held or charged. */
export type Refusal =
  /** The cap with the least left among those that do not allow the job. */
  | ({ readonly reason: 'budget'; readonly cap: CapView } & NeededAmounts)
  | { readonly reason: 'input'; readonly option: string; readonly problem: InputProblem }
  | { readonly reason: 'busy' }
  /** A retry of the same job is already open. */
  | { readonly reason: 'already_retrying' }
  /** The service has the capability switched off; a command after `againAtMs` tries it again. */
  | { readonly reason: 'switched_off'; readonly againAtMs: number }
  | { readonly reason: 'access'; readonly access: AccessRefusal }
  /** The operator has paused new jobs, in this guild or everywhere. */
  | { readonly reason: 'paused'; readonly paused: Paused }
  /** The bot's own account at the service does not cover the amount that must be set aside. */
  | { readonly reason: 'account_empty'; readonly needed: MicroUsd };

/** The expected price of a job or session, and the amount that must be set aside for it. */
export interface NeededAmounts {
  /** The amount that will probably be charged; null while that is not known. */
  readonly price: MicroUsd | null;
  /** The amount that must be set aside until it is done. */
  readonly needed: MicroUsd;
}

/** The rule of a guild, or the wish of a member, that does not allow a command. */
export type AccessRefusal =
  | { readonly rule: 'blocked' }
  | { readonly rule: 'capability' }
  /** With at most five channels in which it is allowed; empty if it is allowed everywhere else. */
  | { readonly rule: 'channel'; readonly allowedIds: readonly string[] }
  /** With at most five roles of which one is needed; empty if one of the member's roles is excluded. */
  | { readonly rule: 'role'; readonly neededIds: readonly string[] }
  | { readonly rule: 'age_restricted' }
  | { readonly rule: 'cooldown'; readonly seconds: number; readonly endsAtMs: number }
  | { readonly rule: 'concurrent'; readonly max: number }
  /** The saved face was deleted, or never belonged to the member. */
  | { readonly rule: 'face_gone' }
  /** The member chose that their own face is never swapped. */
  | { readonly rule: 'own_never_swap' }
  /** Another member chose that their face is never swapped. */
  | { readonly rule: 'never_swap'; readonly ownerId: string }
  /** The owner has not allowed the use of their avatar. */
  | { readonly rule: 'avatar_not_allowed'; readonly ownerId: string }
  /** The owner of one of its pictures had their data removed. */
  | { readonly rule: 'owner_gone' };
