import type { CapPeriod } from '../../../../db/schema/caps.ts';
import type { MicroUsd } from '../../../base/money.ts';

/**
 * Whose spending a cap limits. A role's cap limits each member with that role separately. `operator` is the most that
 * the operator allows a guild to spend; `default` is the operator's budget for guilds whose admins set none.
 */
export type CapTarget =
  | { readonly kind: 'operator' }
  | { readonly kind: 'default' }
  | { readonly kind: 'guild' }
  | { readonly kind: 'role'; readonly roleId: string }
  | { readonly kind: 'member'; readonly userId: string };

/** The key that identifies a cap: a guild has at most one for each target, capability and period. */
export interface CapKey {
  readonly target: CapTarget;
  /** Null if the cap limits all capabilities together. */
  readonly capability: string | null;
  readonly period: CapPeriod;
}

/** The most that posted and pending amounts together may reach in each period. */
export interface Cap extends CapKey {
  readonly limit: MicroUsd;
}

/** A cap with the amounts used and left in its current period. For a role's cap, they are one member's amounts. */
export interface CapView extends Cap {
  readonly posted: MicroUsd;
  readonly pending: MicroUsd;
  /** The limit minus posted and pending amounts, but at least 0. */
  readonly left: MicroUsd;
  readonly startsAtMs: number;
  /** Null if the window never ends (`total`). */
  readonly resetsAtMs: number | null;
}

/**
 * A guild's cap as its managers see it. A role's cap has no `view`, because each member with the role has their own
 * amount left.
 */
export interface ListedCap {
  readonly cap: Cap;
  readonly resetsAtMs: number | null;
  readonly view: CapView | null;
}
