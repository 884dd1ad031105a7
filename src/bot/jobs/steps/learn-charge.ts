import type { JobRow } from '../../../../db/schema/jobs.ts';
import type { Clock } from '../../../base/clock.ts';
import type { Logger } from '../../../base/log.ts';
import { type MicroUsd, ZERO } from '../../../base/money.ts';
import type { Ledger } from '../../money/ledger/ledger.ts';
import type { JobLimits } from '../job-limits.ts';
import type { Quotes } from '../prices/quote.ts';
import { type AskServiceTools, askService } from './ask-service.ts';
import { retryAt } from './retry-at.ts';
import type { GivenUp, Step, StepResult } from './step.ts';

interface ChargeTools {
  readonly ledger: Pick<Ledger, 'post' | 'void'>;
  readonly quotes: Pick<Quotes, 'renew'>;
  readonly log: Logger;
}

export interface LearnChargeTools extends ChargeTools, AskServiceTools {
  readonly clock: Clock;
  readonly limits: Pick<JobLimits, 'chargeMsMax'>;
}

/** The charge for a job, and the link to its result. */
interface Charge {
  readonly amount: MicroUsd;
  readonly link: string | null;
}

/**
 * finished -> charged (or collected, if there is nothing to collect): learns the charge for the job and posts it to the
 * ledger in the same transaction. If the reported charge is null, the service has not determined it yet; fetching the
 * job makes the service determine it. A result waits only a limited time for its charge. After that, the job continues,
 * and `settle` learns the charge.
 */
export const learnCharge: Step<LearnChargeTools> = async (job, _inputs, run) => {
  if (job.charged_micros !== null) return charge(job, storedCharge(job, job.charged_micros), run);
  const observed = await askService(job, run, 'reconcile');
  const known = observed === 'not_found' ? null : observed.charged;
  // The outcome that was observed first stays; only the link to the result may be replaced with a newer link.
  const link = (observed === 'not_found' ? null : observed.outputUrl) ?? job.output_url;
  if (known !== null) return charge(job, { amount: known, link }, run);
  if (run.clock.now() - job.stage_since_ms <= run.limits.chargeMsMax) {
    return { kind: 'wait', atMs: retryAt(job, run) };
  }
  run.log.warn(
    { jobId: job.id, outcome: job.outcome },
    'The service does not report the charge of an ended job',
  );
  // According to the service's terms, a failed job costs nothing.
  if (job.outcome === 'failed') return charge(job, { amount: ZERO, link: null }, run);
  return { kind: 'advance', to: 'charged', patch: { output_url: link } };
};

/**
 * Continues without a request to the service. If the charge is not known, the hold stays, and `settle` learns the
 * charge.
 */
export const chargeLater: GivenUp<ChargeTools> = (job, tools) => {
  if (job.charged_micros !== null) return charge(job, storedCharge(job, job.charged_micros), tools);
  return { kind: 'advance', to: job.outcome === 'failed' ? 'collected' : 'charged' };
};

function storedCharge(job: JobRow, amount: MicroUsd): Charge {
  return { amount, link: job.output_url };
}

function charge(job: JobRow, { amount, link }: Charge, { ledger, quotes, log }: ChargeTools): StepResult {
  const failed = job.outcome === 'failed';
  if (failed && amount !== ZERO) {
    log.error({ jobId: job.id, chargedMicros: amount }, 'The service charged for a failed job');
  }
  if (amount > job.hold_micros) quotes.renew();
  return {
    kind: 'advance',
    to: failed ? 'collected' : 'charged',
    patch: { charged_micros: amount, output_url: link },
    also: async (trx) => {
      if (failed && amount === ZERO) await ledger.void(trx, { subject: job.id });
      else await ledger.post(trx, { subject: job.id, charged: amount });
    },
  };
}
