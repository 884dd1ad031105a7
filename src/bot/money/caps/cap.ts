import type { CapPeriod } from '../../../../db/schema/caps.ts';
import type { MicroUsd } from '../../../base/money.ts';

/**
 * Whose spending a cap limits. The cap of a role limits each member with that role separately. `operator` is the most
 * that the operator allows a guild; `default` is the operator's budget for guilds whose admins set none.
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

/** The amounts used and left of a cap in its current period. For the cap of a role, they are those of one member. */
export interface CapView extends Cap {
  readonly posted: MicroUsd;
  readonly pending: MicroUsd;
  /** The limit minus posted and pending amounts; never below 0. */
  readonly left: MicroUsd;
  readonly startsAtMs: number;
  /** Null if the window never ends (`total`). */
  readonly resetsAtMs: number | null;
}

/**
 * A cap of a guild as its managers see it. The cap of a role has no `view`, because each member has their own amount
 * left.
 */
export interface ListedCap {
  readonly cap: Cap;
  readonly resetsAtMs: number | null;
  readonly view: CapView | null;
}
