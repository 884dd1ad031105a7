import type { CapKey, CapTarget } from '../caps/cap.ts';

/** A target whose spending the admins of a guild can limit. */
export type AdminTarget = Exclude<CapTarget, { kind: 'operator' | 'default' }>;

/** A cap that the admins of a guild can set. */
export interface AdminCapKey extends CapKey {
  readonly target: AdminTarget;
}
