import type { JobRow } from '../../../../db/schema/jobs.ts';
import { capabilityOf } from '../steps/capability-of.ts';
import { isWorthRetry } from '../steps/is-worth-retry.ts';
import { parseFailure } from '../steps/parse-failure.ts';
import { waitsForYes } from '../steps/waits-for-yes.ts';
import type { JobView } from './desk-ports.ts';

/**
 * Whether a job is over for members: its final card is posted, or may be posted at any moment. The job may still have to
 * be settled.
 */
export function isOver(job: JobRow): boolean {
  return job.stage === 'collected' || job.stage === 'posted' || job.stage === 'settled';
}

/** What members see of a job. */
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
    askedPrice: waitsForYes(job) ? job.quote_micros : null,
    undelivered: job.undelivered,
    message: messageId === null ? null : { guildId: job.guild_id, channelId: job.channel_id, messageId },
    canRetry: isOver(job) && (failure === null || isWorthRetry(failure)),
  };
}
