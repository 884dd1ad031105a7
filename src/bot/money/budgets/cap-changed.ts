import type { MicroUsd } from '../../../base/money.ts';
import type { Cap, ListedCap } from '../caps/cap.ts';

/** The result of a change of a cap. */
export interface CapChanged {
  /** The limit before. Null if there was none. */
  readonly before: MicroUsd | null;
  /** The cap after the change. Null if it was removed. */
  readonly now: ListedCap | null;
  /** The operator's default, which no longer counts because of the change. */
  readonly replaced: Cap | null;
  /** The operator's default, which counts again after the change. */
  readonly usual: ListedCap | null;
}
