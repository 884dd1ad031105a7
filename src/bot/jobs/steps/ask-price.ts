import { findBudgetSettings } from '../../../../db/queries/budget-settings.ts';
import { isAsked } from '../../../../db/queries/job-price.ts';
import type { JobInputRow } from '../../../../db/schema/job-inputs.ts';
import type { JobRow } from '../../../../db/schema/jobs.ts';
import type { OverrunWatch } from '../../../../db/schema/overruns.ts';
import type { MicroUsd } from '../../../base/money.ts';
import type { EarlierOverrun, PriceCard } from '../cards.ts';
import { expectedUnits } from '../prices/expected-units.ts';
import { inputLengths } from '../inputs/input-lengths.ts';
import { sizesOf } from '../inputs/input-sizes.ts';
import { refitHold } from './fit-hold.ts';
import { parseParameters } from '../inputs/parse-parameters.ts';
import { type Step, type StepRun, capabilityOf, failUncharged, replyTarget } from './step.ts';

/** Whether the guild's admins want members to be asked before a job of this price goes on. */
export async function mustAsk(job: JobRow, price: MicroUsd, run: StepRun): Promise<boolean> {
  const settings = await findBudgetSettings(run.db.kysely, job.guild_id);
  const above = settings?.confirm_above_micros ?? null;
  return above !== null && price > above;
}

/** A charge of the member in this guild that was far above its hold and is not reviewed. */
export function watchOf(job: JobRow, run: StepRun): Promise<OverrunWatch | undefined> {
  return run.ledger.watches.find(run.db.kysely, { guildId: job.guild_id, userId: job.user_id });
}

/**
 * fetched -> (uploads, or cancelled): shows what the job will cost and waits for a yes, which comes by `confirmJob` and
 * not from here. After a charge far above its hold, the job first waits until a budget manager or the operator reviews
 * that charge, which wakes the job. Without a review in time the job ends, and nothing is charged. If the rate card has
 * changed, the job is quoted again before anything else.
 */
export const askPrice: Step = async (job, inputs, run) => {
  const endsAtMs = (job.asked_at_ms ?? run.clock.now()) + run.limits.confirmMsMax;
  const hold = await refitHold(job, inputs, run);
  if (!hold.fits) {
    const { price, needed, lengths, cap } = hold;
    return failUncharged(job, { reason: 'budget', price, needed, lengths, cap }, run);
  }
  const { price } = hold;
  const priced = { hold_micros: hold.held, quote_micros: price };
  const watch = await watchOf(job, run);
  if (!watch && !(await mustAsk(job, price, run))) {
    const nowMs = run.clock.now();
    const patch = { ...priced, confirmed_at_ms: nowMs, stage_since_ms: nowMs };
    return { kind: 'advance', to: 'fetched', patch };
  }
  if (run.clock.now() >= endsAtMs) {
    const failure = watch
      ? ({ reason: 'overrun_unseen' } as const)
      : ({ reason: 'not_confirmed', price } as const);
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
  run.log.warn({ jobId: job.id, reason: asked.reason }, 'The chat did not take the question for a price');
  return failUncharged(job, { reason: 'not_confirmed', price }, run);
};

function earlierOverrun(watch: OverrunWatch): EarlierOverrun {
  return { capability: watch.capability, held: watch.held_micros, charged: watch.charged_micros };
}

async function cardOf(
  job: JobRow,
  inputs: readonly JobInputRow[],
  run: StepRun,
): Promise<Pick<PriceCard, 'capability' | 'lengths' | 'held' | 'budget'>> {
  const capability = capabilityOf(job);
  const { clipSecondsDefault } = run.limits;
  const parameters = parseParameters(job.parameters);
  const expected = expectedUnits(capability, await sizesOf(inputs), parameters, clipSecondsDefault);
  const lengths = inputLengths(capability, inputs, expected);
  const budget = await run.ledger.budget(run.db.kysely, job.guild_id);
  return { capability, lengths, held: job.hold_micros, budget };
}
