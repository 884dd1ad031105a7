import type { MicroUsd } from '../../../base/money.ts';

/** What the operator has to see to. */
export type OperatorAlert =
  /** The account holds less than `threshold`, or than what is set aside for work under way. */
  | {
      readonly kind: 'low_balance';
      readonly balance: MicroUsd;
      readonly held: MicroUsd;
      readonly threshold: MicroUsd;
    }
  /** Work that costs about `needed` could not begin, by what was known of the account (null: nothing) or by its service. */
  | {
      readonly kind: 'account_empty';
      readonly needed: MicroUsd;
      readonly balance: MicroUsd | null;
      readonly by: 'balance' | 'service';
    }
  | { readonly kind: 'key_refused' }
  /** The account is used beside the guilds' jobs: in calls that are known, and in what nothing explains. */
  | { readonly kind: 'other_use'; readonly foreign: MicroUsd; readonly drift: MicroUsd }
  /** Charges far above their holds: the oldest one that is not reviewed. New jobs of its member wait in that guild. */
  | {
      readonly kind: 'overrun';
      readonly guildId: string;
      readonly capability: string;
      readonly held: MicroUsd;
      readonly charged: MicroUsd;
    }
  /** The service charged for a job that failed there. */
  | { readonly kind: 'charged_failure'; readonly jobId: string; readonly charged: MicroUsd };

/** An alert with what makes its message recognisable. */
export interface OperatorNote {
  readonly id: string;
  readonly madeAtMs: number;
  readonly alert: OperatorAlert;
}
