import type { MicroUsd } from '../../../base/money.ts';

/** A condition that the operator must handle. */
export type OperatorAlert =
  /** The account holds less than `threshold`, or less than the amount set aside for running work. */
  | {
      readonly kind: 'low_balance';
      readonly balance: MicroUsd;
      readonly held: MicroUsd;
      readonly threshold: MicroUsd;
    }
  /** Work that costs about `needed` could not start, according to the known balance (null if unknown) or to the service. */
  | {
      readonly kind: 'account_empty';
      readonly needed: MicroUsd;
      readonly balance: MicroUsd | null;
      readonly by: 'balance' | 'service';
    }
  | { readonly kind: 'key_refused' }
  /** The account has charges that are not the guilds': `foreign` for known calls, `drift` for what nothing explains. */
  | { readonly kind: 'other_use'; readonly foreign: MicroUsd; readonly drift: MicroUsd }
  /** The oldest charge far above its hold that is not reviewed. New jobs of its member wait in that guild. */
  | {
      readonly kind: 'overrun';
      readonly guildId: string;
      readonly capability: string;
      readonly held: MicroUsd;
      readonly charged: MicroUsd;
    }
  /** The service charged for a job that failed there. */
  | { readonly kind: 'charged_failure'; readonly jobId: string; readonly charged: MicroUsd };

/** An alert with the data that identifies its message. */
export interface OperatorNote {
  readonly id: string;
  readonly madeAtMs: number;
  readonly alert: OperatorAlert;
}
