import type { JobRow, JobOutcome, JobStage, TakenBack } from '../../../../db/schema/jobs.ts';
import { capabilityOf } from '../steps/capability-of.ts';
import { isWorthRetry } from '../steps/is-worth-retry.ts';
import { parseFailure } from '../steps/parse-failure.ts';
import { waitsForConfirmation } from '../steps/waits-for-confirmation.ts';
import type { MicroUsd } from '../../../base/money.ts';
import type { Capability } from '../../../media-api/wire.ts';
import type { JobFailure } from '../cards.ts';

/** A job as it is shown to members who may see it. */
export interface JobView {
  readonly jobId: string;
  readonly capability: Capability;
  readonly userId: string;
  readonly acceptedAtMs: number;
  readonly stage: JobStage;
  /** The job's outcome; null while the job is open. */
  readonly outcome: JobOutcome | null;
  readonly failure: JobFailure | null;
  readonly takenBack: TakenBack | null;
  readonly charged: MicroUsd | null;
  /** Whether the result is still kept. */
  readonly isKept: boolean;
  /** The price that the member must confirm; null if the job is not waiting for confirmation. */
  readonly askedPrice: MicroUsd | null;
  /** Why the chat refused the final card; null if the card was accepted or has not been posted yet. */
  readonly undelivered: string | null;
  /** The location of the card; null if there is none. */
  readonly message: {
    readonly guildId: string;
    readonly channelId: string;
    readonly messageId: string;
  } | null;
  readonly canRetry: boolean;
}

/**
 * Returns whether a job is over for members: its final card is posted, or may be posted at any moment. The job is not
 * necessarily settled yet.
 */
export function isOver(job: JobRow): boolean {
  return job.stage === 'collected' || job.stage === 'posted' || job.stage === 'settled';
}

/** Returns the job data that members see. */
export function jobView(job: JobRow): JobView {
  const failure = job.failure === null ? null : parseFailure(job.failure);
  const messageId = job.result_message_id ?? job.reply_message_id;
  return {
    jobId: job.id,
    capability: capabilityOf(job),
    userId: job.user_id,
    acceptedAtMs: job.accepted_at_ms,
    stage: job.stage,
    outcome: isOver(job) ? job.outcome : null,
    failure,
    takenBack: job.taken_back,
    charged: job.charged_micros,
    isKept: job.result_path !== null,
    askedPrice: waitsForConfirmation(job) ? job.quote_micros : null,
    undelivered: job.undelivered,
    message: messageId === null ? null : { guildId: job.guild_id, channelId: job.channel_id, messageId },
    canRetry: isOver(job) && (failure === null || isWorthRetry(failure)),
  };
}
