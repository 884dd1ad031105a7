import type { MicroUsd } from '../../../base/money.ts';

/** A problem that the operator must handle. */
export type OperatorAlert =
  /** The account holds less than `threshold`, or less than the amount held for running work. */
  | {
      readonly kind: 'low_balance';
      readonly balance: MicroUsd;
      readonly held: MicroUsd;
      readonly threshold: MicroUsd;
    }
  /**
   * Work that would cost `needed` could not start. `by` says whether `balance` (null if unknown) or a refusal by the
   * service was the reason.
   */
  | {
      readonly kind: 'account_empty';
      readonly needed: MicroUsd;
      readonly balance: MicroUsd | null;
      readonly by: 'balance' | 'service';
    }
  | { readonly kind: 'key_refused' }
  /**
   * The account has charges that no guild caused: `foreign` is the sum of the known calls, `drift` the unexplained
   * difference.
   */
  | { readonly kind: 'other_use'; readonly foreign: MicroUsd; readonly drift: MicroUsd }
  /**
   * A charge far above its hold has not been reviewed; if there are several such charges, this is the oldest. The
   * member's new jobs in the guild wait.
   */
  | {
      readonly kind: 'overrun';
      readonly guildId: string;
      readonly capability: string;
      readonly held: MicroUsd;
      readonly charged: MicroUsd;
    }
  /** The service charged for a failed job. */
  | { readonly kind: 'charged_failure'; readonly jobId: string; readonly charged: MicroUsd };

/** An alert with the data that identifies its message. */
export interface OperatorNote {
  readonly id: string;
  readonly madeAtMs: number;
  readonly alert: OperatorAlert;
}
