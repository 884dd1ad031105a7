import { type StepPatch } from '../../../db/queries/jobs.ts';
import { type Step, retryAt } from '../step.ts';
import { ask, ending } from './watch.ts';

/**
 * finished -> charged (collected, when there is nothing to collect): knows what the job cost and posts it to the ledger. `null` means "not yet": asking is
 * what makes the service reconcile. The posting and the stage change are one transaction.
 */
export const learnCharge: Step = async (job, _inputs, run) => {
  let charged = job.charged_micros;
  let patch: StepPatch = {};
  if (charged === null) {
    const observed = await ask(job, run, 'reconcile');
    if (observed === 'not_found' || observed.charged === null)
      return { kind: 'wait', atMs: retryAt(job, run) };
    charged = observed.charged;
    patch = ending(observed);
  }
  const amount = charged;
  if (job.outcome === 'failed' && amount !== 0) {
    run.log.error({ jobId: job.id, chargedMicros: amount }, 'The service charged for a failed job');
  }
  return {
    kind: 'advance',
    to: job.outcome === 'failed' ? 'collected' : 'charged',
    patch: { ...patch, charged_micros: amount },
    also: async (trx) => {
      if (job.outcome === 'failed' && amount === 0) await run.ledger.void(trx, { subject: job.id });
      else await run.ledger.post(trx, { subject: job.id, charged: amount });
    },
  };
};
