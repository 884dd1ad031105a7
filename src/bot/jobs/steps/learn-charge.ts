import type { JobRow } from '../../../../db/schema/jobs.ts';
import { type MicroUsd, ZERO } from '../../../base/money.ts';
import { type GivenUp, type Step, type StepResult, type StepRun, retryAt } from './step.ts';
import { ask } from './watch.ts';

/**
 * finished -> charged (collected, when there is nothing to collect): knows what the job cost and posts it to the
 * ledger in the same transaction. `null` means "not yet": asking is what makes the service reconcile. A result
 * does not wait for its charge for ever; `settle` then learns it.
 */
export const learnCharge: Step = async (job, _inputs, run) => {
  if (job.charged_micros !== null) return charge(job, job.charged_micros, job.output_url, run);
  const observed = await ask(job, run, 'reconcile');
  const known = observed === 'not_found' ? null : observed.charged;
  // The end that was seen first stays: only the link may be a fresher one.
  const link = (observed === 'not_found' ? null : observed.outputUrl) ?? job.output_url;
  if (known !== null) return charge(job, known, link, run);
  if (run.clock.now() - job.stage_since_ms <= run.limits.chargeMsMax) {
    return { kind: 'wait', atMs: retryAt(job, run) };
  }
  run.log.warn(
    { jobId: job.id, outcome: job.outcome },
    'The service does not tell the charge of an ended job',
  );
  // By the service's terms a failed job costs nothing.
  if (job.outcome === 'failed') return charge(job, ZERO, null, run);
  return { kind: 'advance', to: 'charged', patch: { output_url: link } };
};

/** Does not ask the service. If the charge is not known, the hold stays, and `settle` learns the charge. */
export const chargeLater: GivenUp = (job, run) => {
  if (job.charged_micros !== null) return charge(job, job.charged_micros, job.output_url, run);
  return { kind: 'advance', to: job.outcome === 'failed' ? 'collected' : 'charged' };
};

function charge(job: JobRow, amount: MicroUsd, link: string | null, run: StepRun): StepResult {
  const failed = job.outcome === 'failed';
  if (failed && amount !== ZERO) {
    run.log.error({ jobId: job.id, chargedMicros: amount }, 'The service charged for a failed job');
  }
  if (amount > job.hold_micros) run.quotes.renew();
  return {
    kind: 'advance',
    to: failed ? 'collected' : 'charged',
    patch: { charged_micros: amount, output_url: link },
    also: async (trx) => {
      if (failed && amount === ZERO) await run.ledger.void(trx, { subject: job.id });
      else await run.ledger.post(trx, { subject: job.id, charged: amount });
    },
  };
}
