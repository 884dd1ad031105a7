import type { MicroUsd } from '../../../base/money.ts';
import type { CapView } from '../../money/caps/cap.ts';
import type { Paused } from '../../money/ledger/spending-gate.ts';
import type { InputProblem } from '../inputs/inputs.ts';

/** Why a command was refused. Nothing was held or charged. */
export type Refusal =
  /** A cap does not allow the job. If several caps do not allow it, `cap` is the one with the least left. */
  | ({ readonly reason: 'budget'; readonly cap: CapView } & NeededAmounts)
  | { readonly reason: 'input'; readonly option: string; readonly problem: InputProblem }
  | { readonly reason: 'busy' }
  /** A retry of the same job is already open. */
  | { readonly reason: 'already_retrying' }
  /** The service has switched the capability off. The first command after `againAtMs` tries it again. */
  | { readonly reason: 'switched_off'; readonly againAtMs: number }
  | { readonly reason: 'access'; readonly access: AccessRefusal }
  /** The operator has paused new jobs, in this guild or everywhere. */
  | { readonly reason: 'paused'; readonly paused: Paused }
  /** The operator's account at the service does not cover the amount that must be set aside. */
  | { readonly reason: 'account_empty'; readonly needed: MicroUsd };

/** The expected price of a job or session, and the amount that must be set aside for it. */
export interface NeededAmounts {
  /** The expected price; null while it is not known. */
  readonly price: MicroUsd | null;
  /** The amount that must be set aside until the job or session has ended. */
  readonly needed: MicroUsd;
}

/** Why a rule of the guild, or the owner of a picture, does not allow a command. */
export type AccessRefusal =
  | { readonly rule: 'blocked' }
  | { readonly rule: 'capability' }
  /**
   * `allowedIds` names at most five channels in which the command is allowed. It is empty if the command is denied only
   * in this channel.
   */
  | { readonly rule: 'channel'; readonly allowedIds: readonly string[] }
  /**
   * `neededIds` names at most five roles, one of which is required. It is empty if one of the member's roles is denied.
   */
  | { readonly rule: 'role'; readonly neededIds: readonly string[] }
  | { readonly rule: 'age_restricted' }
  | { readonly rule: 'cooldown'; readonly seconds: number; readonly endsAtMs: number }
  | { readonly rule: 'concurrent'; readonly max: number }
  /** The saved face was deleted, or never belonged to the member. */
  | { readonly rule: 'face_gone' }
  /** The member has chosen never to have their own face swapped. */
  | { readonly rule: 'own_never_swap' }
  /** Another member has chosen never to have their face swapped. */
  | { readonly rule: 'never_swap'; readonly ownerId: string }
  /** The owner has not allowed the use of their avatar. */
  | { readonly rule: 'avatar_not_allowed'; readonly ownerId: string }
  /** The owner of one of the pictures has removed their data. */
  | { readonly rule: 'owner_gone' };
