import type { JobRow } from '../../../../db/schema/jobs.ts';
import type { Clock } from '../../../base/clock.ts';
import type { Logger } from '../../../base/log.ts';
import { pathExists } from '../../../base/path-exists.ts';
import type { Ledger } from '../../money/ledger/ledger.ts';
import type { FailureCard, FinalCard, JobFailure, ResultCard } from '../cards.ts';
import type { JobLimits } from '../job-limits.ts';
import { fittingFile } from '../results/fitting-file.ts';
import type { ResultLinks } from '../results/result-links.ts';
import { capabilityOf } from './capability-of.ts';
import { type FindOverrunWatchTools, findOverrunWatch } from './find-overrun-watch.ts';
import { isWorthRetry } from './is-worth-retry.ts';
import { parseFailure } from './parse-failure.ts';
import { replyTarget } from './reply-target.ts';
import type { Failed, GivenUp, StageDone, Step } from './step.ts';
import type { JobPublisher } from '../job-publisher.ts';

type FailureCardTools = FindOverrunWatchTools & { readonly ledger: Pick<Ledger, 'budget'> };

type ResultCardTools = FailureCardTools & {
  readonly links: Pick<ResultLinks, 'linkTo'>;
  readonly clock: Clock;
};

type FinalCardTools = ResultCardTools & { readonly log: Logger };

export type PostResultTools = FinalCardTools & { readonly publisher: Pick<JobPublisher, 'publish'> };

export interface NotPostedTools {
  readonly clock: Clock;
  readonly limits: Pick<JobLimits, 'postMsMax'>;
  readonly log: Logger;
}

/** The minimum number of attempts to post a card, even if the time limit passed while the bot was not running. */
const ATTEMPTS_MIN = 5;

/** collected -> posted: posts one message with one final card. */
export const postResult: Step<PostResultTools> = async (job, _inputs, run) => {
  if (job.taken_back === 'deleted') return { kind: 'advance', to: 'posted' };
  const published = await run.publisher.publish(replyTarget(job), await finalCard(job, run), run.signal);
  if (published.outcome === 'undeliverable') {
    run.log.warn(
      { jobId: job.id, reason: published.reason },
      'The chat did not accept the card; the result is kept',
    );
    return { kind: 'advance', to: 'posted', patch: { undelivered: published.reason } };
  }
  return { kind: 'advance', to: 'posted', patch: { result_message_id: published.messageId } };
};

/** Gives up posting a card if the chat has been unreachable for too long. The result is still kept. */
export const notPosted: Failed<NotPostedTools> = (job, _error, { clock, limits, log }) => {
  const isOver = clock.now() - job.stage_since_ms > limits.postMsMax;
  if (!isOver || job.attempts < ATTEMPTS_MIN) return undefined;
  log.error({ jobId: job.id }, 'Gave up posting a card; the result is kept');
  return UNPOSTED;
};

/**
 * The job continues without a card. The member finds the result, or the reason why there is none, with `/jobs show`.
 */
const UNPOSTED: StageDone = { kind: 'advance', to: 'posted', patch: { undelivered: 'unreachable' } };

export const unposted: GivenUp<unknown> = () => UNPOSTED;

async function finalCard(job: JobRow, tools: FinalCardTools): Promise<FinalCard> {
  const failure = await whyNoResult(job, tools);
  return failure ? failureCard(job, failure, tools) : resultCard(job, tools);
}

/** Returns why there is no result to show; `undefined` if there is one. */
async function whyNoResult(
  job: JobRow,
  { log }: Pick<FinalCardTools, 'log'>,
): Promise<JobFailure | undefined> {
  if (job.taken_back !== null) return { reason: 'cancelled' };
  if (job.outcome !== 'succeeded') return parseFailure(job.failure);
  if (job.result_path === null || job.result_mime === null) {
    throw new TypeError('Cannot post a result that was not kept');
  }
  if (await pathExists(job.result_path)) return undefined;
  log.error({ jobId: job.id }, 'The kept result is gone');
  return { reason: 'result_lost' };
}

async function failureCard(job: JobRow, failure: JobFailure, tools: FailureCardTools): Promise<FailureCard> {
  const budget = await tools.ledger.budget(tools.db.kysely, job.guild_id);
  return {
    kind: 'failure',
    capability: capabilityOf(job),
    failure,
    canRetry: isWorthRetry(failure),
    charged: job.charged_micros,
    held: job.hold_micros,
    startsReview: await startsReview(job, tools),
    budget,
  };
}

/** Returns whether the member's next jobs have to wait because of this job's charge. */
async function startsReview(job: JobRow, tools: FindOverrunWatchTools): Promise<boolean> {
  return (await findOverrunWatch(job, tools))?.subject === job.id;
}

/** Returns how long the job waited for the price confirmation, in milliseconds. */
function askedForMs({ asked_at_ms, confirmed_at_ms }: JobRow): number {
  return asked_at_ms === null || confirmed_at_ms === null ? 0 : confirmed_at_ms - asked_at_ms;
}

async function resultCard(job: JobRow, tools: ResultCardTools): Promise<ResultCard> {
  const fitting = await fittingFile(job, job.attachment_size_limit_bytes);
  return {
    kind: 'result',
    capability: capabilityOf(job),
    file: fitting?.file ?? null,
    isSmaller: fitting?.isSmaller ?? false,
    link: tools.links.linkTo(job),
    charged: job.charged_micros,
    held: job.hold_micros,
    startsReview: await startsReview(job, tools),
    budget: await tools.ledger.budget(tools.db.kysely, job.guild_id),
    tookMs: (job.finished_at_ms ?? tools.clock.now()) - job.accepted_at_ms - askedForMs(job),
  };
}
