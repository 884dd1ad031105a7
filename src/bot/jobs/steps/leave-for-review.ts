import type { JobRow } from '../../../../db/schema/jobs.ts';
import type { Ledger } from '../../money/ledger/ledger.ts';
import type { JobFailure } from '../cards.ts';
import type { StageDone } from './step.ts';

export interface LeaveForReviewTools {
  readonly ledger: Pick<Ledger, 'review'>;
}

/**
 * Ends a job if it is unknown whether the service accepted it and will charge for it. The hold goes to review and still
 * counts against the caps, as the card explains.
 */
export function leaveForReview(job: JobRow, { ledger }: LeaveForReviewTools): StageDone {
  return {
    kind: 'advance',
    to: 'collected',
    patch: { outcome: 'unknown', failure: JSON.stringify({ reason: 'unconfirmed' } satisfies JobFailure) },
    also: async (trx) => {
      await ledger.review(trx, { subject: job.id });
    },
  };
}
