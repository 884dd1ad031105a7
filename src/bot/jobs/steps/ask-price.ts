import { isAsked } from '../../../../db/queries/job-price.ts';
import type { JobInputRow } from '../../../../db/schema/job-inputs.ts';
import type { JobRow } from '../../../../db/schema/jobs.ts';
import type { OverrunWatch } from '../../../../db/schema/overruns.ts';
import type { Logger } from '../../../base/log.ts';
import type { Ledger } from '../../money/ledger/ledger.ts';
import type { EarlierOverrun, JobFailure, PriceCard } from '../cards.ts';
import type { JobLimits } from '../job-limits.ts';
import { inputLengths } from '../inputs/input-lengths.ts';
import { inputSizes } from '../inputs/input-sizes.ts';
import { parseParameters } from '../inputs/parse-parameters.ts';
import { expectedUnits } from '../prices/expected-units.ts';
import { capabilityOf } from './capability-of.ts';
import { type FailUnchargedTools, failUncharged } from './fail-uncharged.ts';
import { type FindOverrunWatchTools, findOverrunWatch } from './find-overrun-watch.ts';
import { type FitHoldTools, refitHold } from './fit-hold.ts';
import { mustAsk } from './must-ask.ts';
import { replyTarget } from './reply-target.ts';
import type { Step } from './step.ts';
import type { JobPublisher } from '../job-publisher.ts';

export type AskPriceTools = FitHoldTools &
  FindOverrunWatchTools &
  FailUnchargedTools & {
    readonly ledger: Pick<Ledger, 'budget'>;
    readonly publisher: Pick<JobPublisher, 'ask'>;
    readonly limits: Pick<JobLimits, 'confirmMsMax'>;
    readonly log: Logger;
  };

/**
 * fetched -> (uploads, or cancelled): shows the expected price and waits until the member confirms it with
 * `confirmJob`. If one of the member's earlier charges was far above its hold, the job first waits until a budget
 * manager or the operator has reviewed that charge, which wakes the job. If nobody reviews it in time, the job ends and
 * nothing is charged. If the rate card has changed, the job is quoted again before the price is shown.
 */
export const askPrice: Step<AskPriceTools> = async (job, inputs, run) => {
  const endsAtMs = (job.asked_at_ms ?? run.clock.now()) + run.limits.confirmMsMax;
  const hold = await refitHold(job, inputs, run);
  if (!hold.fits) return failUncharged(job, hold.failure, run);
  const { price } = hold;
  const priced = { hold_micros: hold.held, quote_micros: price };
  const watch = await findOverrunWatch(job, run);
  if (!watch && !(await mustAsk(job, price, run))) {
    const nowMs = run.clock.now();
    const patch = { ...priced, confirmed_at_ms: nowMs, stage_since_ms: nowMs };
    return { kind: 'advance', to: 'fetched', patch };
  }
  if (run.clock.now() >= endsAtMs) {
    const failure: JobFailure = watch ? { reason: 'overrun_unseen' } : { reason: 'not_confirmed', price };
    return failUncharged(job, failure, run);
  }
  const overrun = watch ? earlierOverrun(watch) : null;
  const card = { ...(await cardOf(job, inputs, run)), price, overrun, endsAtMs };
  const isTrue = (): Promise<boolean> => isAsked(run.db.kysely, job.id);
  const asked = await run.publisher.ask(replyTarget(job), card, { isTrue, signal: run.signal });
  if (asked.outcome === 'posted') {
    return { kind: 'wait', atMs: endsAtMs, patch: { ...priced, reply_message_id: asked.messageId } };
  }
  if (asked.outcome === 'outdated') return { kind: 'wait', atMs: endsAtMs, patch: priced };
  run.log.warn({ jobId: job.id, reason: asked.reason }, 'The chat did not accept the question about a price');
  return failUncharged(job, { reason: 'not_confirmed', price }, run);
};

function earlierOverrun(watch: OverrunWatch): EarlierOverrun {
  return { capability: watch.capability, held: watch.held_micros, charged: watch.charged_micros };
}

async function cardOf(
  job: JobRow,
  inputs: readonly JobInputRow[],
  tools: AskPriceTools,
): Promise<Pick<PriceCard, 'capability' | 'lengths' | 'held' | 'budget'>> {
  const capability = capabilityOf(job);
  const expected = expectedUnits(capability, {
    inputs: await inputSizes(inputs),
    parameters: parseParameters(job.parameters),
    secondsDefault: tools.limits.clipSecondsDefault,
  });
  const lengths = inputLengths(capability, inputs, expected);
  const budget = await tools.ledger.budget(tools.db.kysely, job.guild_id);
  return { capability, lengths, held: job.hold_micros, budget };
}
