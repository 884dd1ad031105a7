import type { MicroUsd } from '../../../base/money.ts';

/** The result of resolving a hold in review. */
export type Resolved =
  | { readonly outcome: 'resolved'; readonly charged: MicroUsd }
  | { readonly outcome: 'refused'; readonly why: 'not_found' | 'not_in_review' };

/** The result of assigning a usage record. `subject` is null if the record is other use of the account. */
export type Assigned =
  | { readonly outcome: 'assigned'; readonly charged: MicroUsd | null; readonly subject: string | null }
  | { readonly outcome: 'refused'; readonly why: 'not_suggested' | 'not_in_review' | 'decided' };
