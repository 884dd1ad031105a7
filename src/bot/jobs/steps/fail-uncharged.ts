import type { JobRow } from '../../../../db/schema/jobs.ts';
import { ZERO } from '../../../base/money.ts';
import type { Ledger } from '../../money/ledger/ledger.ts';
import type { JobFailure } from '../cards.ts';
import type { GivenUp, StageDone } from './step.ts';

export interface FailUnchargedTools {
  readonly ledger: Pick<Ledger, 'void'>;
}

/** Ends a job without a result and without a charge: its hold is voided, and its card explains why. */
export function failUncharged(job: JobRow, failure: JobFailure, { ledger }: FailUnchargedTools): StageDone {
  return {
    kind: 'advance',
    to: 'collected',
    patch: { outcome: 'failed', failure: JSON.stringify(failure), charged_micros: ZERO },
    also: async (trx) => {
      await ledger.void(trx, { subject: job.id });
    },
  };
}

/** Ends a job that repeatedly crashed its process before anything was sent to the service. */
export const failCrashed: GivenUp<FailUnchargedTools> = (job, tools) =>
  failUncharged(job, { reason: 'crashed' }, tools);
