import { ServiceError } from '../../../base/errors.ts';

type BudgetErrorCode =
  | 'not_manager'
  | 'not_admin'
  | 'above_allowance'
  | 'out_of_range'
  | 'too_many'
  | 'unknown_zone'
  | 'everybody';

/** A member may not change budgets, or may not see them. `userMessage` says why. */
export class BudgetError extends ServiceError<BudgetErrorCode> {
  constructor(code: BudgetErrorCode, userMessage: string) {
    super(code, `Cannot change or show the budgets of a guild: ${code}`, { userMessage });
  }
}
