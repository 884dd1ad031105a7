import type { JobRow } from '../../../../db/schema/jobs.ts';
import { pathExists } from '../../../base/path-exists.ts';
import { isWorthRetry, parseFailure } from './parse-failure.ts';
import type { FinalCard, JobFailure } from '../cards.ts';
import { fittingFile } from '../results/fitting-file.ts';
import { watchOf } from './ask-price.ts';
import { type Failed, type GivenUp, type Step, type StepRun, capabilityOf, replyTarget } from './step.ts';

/** However long the bot was away, a card is tried to be posted at least this often. */
const ATTEMPTS_MIN = 5;

/** collected -> posted: one message with one final card. */
export const postResult: Step = async (job, _inputs, run) => {
  if (job.taken_back === 'deleted') return { kind: 'advance', to: 'posted' };
  const published = await run.publisher.publish(replyTarget(job), await finalCard(job, run), run.signal);
  if (published.outcome === 'undeliverable') {
    run.log.warn(
      { jobId: job.id, reason: published.reason },
      'The chat did not take the card; the result is kept',
    );
    return { kind: 'advance', to: 'posted', patch: { undelivered: published.reason } };
  }
  return { kind: 'advance', to: 'posted', patch: { result_message_id: published.messageId } };
};

/** A chat that cannot be asked for too long does not keep the job open: the result stays kept. */
export const notPosted: Failed = (job, _error, run) => {
  const isOver = run.clock.now() - job.stage_since_ms > run.limits.postMsMax;
  if (!isOver || job.attempts < ATTEMPTS_MIN) return undefined;
  run.log.error({ jobId: job.id }, 'Gave up posting a card; the result is kept');
  return unposted(job, run);
};

/** The member finds the result, or the reason why there is none, with `/jobs show`. */
export const unposted: GivenUp = () => {
  return { kind: 'advance', to: 'posted', patch: { undelivered: 'unreachable' } };
};

async function finalCard(job: JobRow, run: StepRun): Promise<FinalCard> {
  const failure = await failureOf(job, run);
  return failure ? failureCard(job, failure, run) : resultCard(job, run);
}

/** Why there is no result to show; undefined when there is one. */
async function failureOf(job: JobRow, run: StepRun): Promise<JobFailure | undefined> {
  if (job.taken_back !== null) return { reason: 'cancelled' };
  if (job.outcome !== 'succeeded') return parseFailure(job.failure);
  if (job.result_path === null || job.result_mime === null) {
    throw new TypeError('Cannot post a result that was not kept');
  }
  if (await pathExists(job.result_path)) return undefined;
  run.log.error({ jobId: job.id }, 'The kept result is gone');
  return { reason: 'result_lost' };
}

async function failureCard(job: JobRow, failure: JobFailure, run: StepRun): Promise<FinalCard> {
  const budget = await run.ledger.budget(run.db.kysely, job.guild_id);
  return {
    kind: 'failure',
    capability: capabilityOf(job),
    failure,
    canRetry: isWorthRetry(failure),
    charged: job.charged_micros,
    held: job.hold_micros,
    startsReview: await startsReview(job, run),
    budget,
  };
}

/** Whether the charge of this job is the one because of which the member's next jobs wait. */
async function startsReview(job: JobRow, run: StepRun): Promise<boolean> {
  return (await watchOf(job, run))?.subject === job.id;
}

/** How long the member thought about the price. */
function askedForMs({ asked_at_ms, confirmed_at_ms }: JobRow): number {
  return asked_at_ms === null || confirmed_at_ms === null ? 0 : confirmed_at_ms - asked_at_ms;
}

async function resultCard(job: JobRow, run: StepRun): Promise<FinalCard> {
  const fitting = await fittingFile(job, job.attachment_size_limit_bytes);
  return {
    kind: 'result',
    capability: capabilityOf(job),
    file: fitting?.file ?? null,
    isSmaller: fitting?.isSmaller ?? false,
    link: run.links.linkTo(job),
    charged: job.charged_micros,
    held: job.hold_micros,
    startsReview: await startsReview(job, run),
    budget: await run.ledger.budget(run.db.kysely, job.guild_id),
    tookMs: (job.finished_at_ms ?? run.clock.now()) - job.accepted_at_ms - askedForMs(job),
  };
}
