import type { MicroUsd } from '../../../base/money.ts';
import type { BudgetView } from '../../money/caps/budget.ts';
import type { Refusal } from './refusals.ts';

/** The outcome of a job request. */
export type IntakeOutcome =
  | { readonly accepted: true; readonly jobId: string; readonly held: MicroUsd; readonly budget: BudgetView }
  | { readonly accepted: false; readonly refusal: Refusal };
