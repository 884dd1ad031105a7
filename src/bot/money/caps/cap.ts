import type { CapPeriod } from '../../../../db/schema/caps.ts';
import type { MicroUsd } from '../../../base/money.ts';

/**
 * Whose spending a cap limits. A cap of a role counts for each member who has it by themselves. `operator` is what
 * the operator allows a guild at most; `default` is the operator's budget for guilds whose admins set none.
 */
export type CapTarget =
  | { readonly kind: 'operator' }
  | { readonly kind: 'default' }
  | { readonly kind: 'guild' }
  | { readonly kind: 'role'; readonly roleId: string }
  | { readonly kind: 'member'; readonly userId: string };

/** Which cap: a guild has at most one for each target, capability and period. */
export interface CapKey {
  readonly target: CapTarget;
  /** Null: everything together. */
  readonly capability: string | null;
  readonly period: CapPeriod;
}

/** The most that may be spent, posted and pending together, in each period. */
export interface Cap extends CapKey {
  readonly limit: MicroUsd;
}

/** How a cap stands in its current period; of a role's cap, for one member. */
export interface CapView extends Cap {
  readonly posted: MicroUsd;
  readonly pending: MicroUsd;
  /** Limit less posted and pending; never below 0. */
  readonly left: MicroUsd;
  readonly startsAtMs: number;
  /** Null: never (`total`). */
  readonly resetsAtMs: number | null;
}

/** A cap of a guild as those who manage it see it; what a role's has left is each member's own, so there is no `view`. */
export interface ListedCap {
  readonly cap: Cap;
  readonly resetsAtMs: number | null;
  readonly view: CapView | null;
}
