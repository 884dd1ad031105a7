import type { MicroUsd } from '../../../base/money.ts';
import type { Cap, ListedCap } from '../caps/cap.ts';

/** What a change of a cap came to. */
export interface CapChanged {
  /** Null: there was none. */
  readonly before: MicroUsd | null;
  /** Null: there is none any more. */
  readonly now: ListedCap | null;
  /** The operator's default, which it put out of force. */
  readonly replaced: Cap | null;
  /** The operator's default, which counts again. */
  readonly usual: ListedCap | null;
}
