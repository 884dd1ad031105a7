import { ZERO } from '../../base/money.ts';
import type { Step } from '../step.ts';
import { submit } from './submit.ts';

/** Nothing has gone to the service yet: the hold goes back, and the job goes straight to its end. */
export const cancel: Step = (job, _inputs, run) =>
  Promise.resolve({
    kind: 'advance',
    to: 'posted',
    patch: { outcome: 'failed', charged_micros: ZERO },
    also: async (trx) => {
      await run.ledger.void(trx, { subject: job.id });
    },
  });

/** Once it was tried the service may have the job, and only a repeat under its key tells. */
export const cancelUnlessTried: Step = (job, inputs, run) => {
  return job.attempts <= 1 ? cancel(job, inputs, run) : submit(job, inputs, run);
};
