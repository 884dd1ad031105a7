import type { MicroUsd } from '../../../base/money.ts';
import type { Cap, ListedCap } from '../caps/cap.ts';

/** The result of changing a cap. */
export interface CapChanged {
  /** The limit before the change; null if there was none. */
  readonly before: MicroUsd | null;
  /** The cap after the change; null if it was removed. */
  readonly now: ListedCap | null;
  /** The operator's default cap, if the change replaced it; otherwise null. */
  readonly replaced: Cap | null;
  /** The operator's default cap, if it applies again after the change; otherwise null. */
  readonly usual: ListedCap | null;
}
