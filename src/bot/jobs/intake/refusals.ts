import type { MicroUsd } from '../../../base/money.ts';
import type { CapView } from '../../money/caps/cap.ts';
import type { Paused } from '../../money/ledger/spending-gate.ts';
import type { InputProblem } from '../inputs/inputs.ts';

/** Why a command was not taken on. Nothing was held or charged. */
export type Refusal =
  /** Of the caps that do not allow it, the one with the least left. */
  | ({ readonly reason: 'budget'; readonly cap: CapView } & NeededAmounts)
  | { readonly reason: 'input'; readonly option: string; readonly problem: InputProblem }
  | { readonly reason: 'busy' }
  /** Another try of the same job is under way. */
  | { readonly reason: 'already_retrying' }
  /** The service has the capability switched off; a command after `againAtMs` tries it again. */
  | { readonly reason: 'switched_off'; readonly againAtMs: number }
  | { readonly reason: 'access'; readonly access: AccessRefusal }
  /** The operator takes nothing new on for now, here or anywhere. */
  | { readonly reason: 'paused'; readonly paused: Paused }
  /** The bot's own account at the service does not cover the amount that must be set aside. */
  | { readonly reason: 'account_empty'; readonly needed: MicroUsd };

/** What a job or session should cost, and what must be set aside for it. */
export interface NeededAmounts {
  /** What it will probably be charged; null while that is not known. */
  readonly price: MicroUsd | null;
  /** What must be set aside until it is done. */
  readonly needed: MicroUsd;
}

/** The rule of a community, or the wish of a member, that a command goes against. */
export type AccessRefusal =
  | { readonly rule: 'blocked' }
  | { readonly rule: 'capability' }
  /** With the channels where it is allowed, at most five; empty when it is everywhere but here. */
  | { readonly rule: 'channel'; readonly allowedIds: readonly string[] }
  /** With the roles of which one is needed, at most five; empty when one of the member's is shut out. */
  | { readonly rule: 'role'; readonly neededIds: readonly string[] }
  | { readonly rule: 'age_restricted' }
  | { readonly rule: 'cooldown'; readonly seconds: number; readonly endsAtMs: number }
  | { readonly rule: 'concurrent'; readonly max: number }
  /** The saved face is not there any more, or was never the member's. */
  | { readonly rule: 'face_gone' }
  /** The member chose that their own face is never swapped. */
  | { readonly rule: 'own_never_swap' }
  /** Somebody else chose so. */
  | { readonly rule: 'never_swap'; readonly ownerId: string }
  /** The owner has not allowed that their avatar is used. */
  | { readonly rule: 'avatar_not_allowed'; readonly ownerId: string }
  /** The owner of a picture in it had their data removed. */
  | { readonly rule: 'owner_gone' };
