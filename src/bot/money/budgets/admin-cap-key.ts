import type { CapKey, CapTarget } from '../caps/cap.ts';

/** A target whose spending a guild's admins can limit. */
export type AdminTarget = Exclude<CapTarget, { kind: 'operator' | 'default' }>;

/** The key of a cap that a guild's admins can set. */
export interface AdminCapKey extends CapKey {
  readonly target: AdminTarget;
}
