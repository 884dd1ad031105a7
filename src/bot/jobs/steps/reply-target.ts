import type { JobRow } from '../../../../db/schema/jobs.ts';
import type { ReplyTarget } from '../reply-target.ts';

/** Returns the location of a job's card. */
export function replyTarget(job: JobRow): ReplyTarget {
  return {
    jobId: job.id,
    applicationId: job.application_id,
    guildId: job.guild_id,
    channelId: job.channel_id,
    userId: job.user_id,
    interactionToken: job.interaction_token,
    tokenExpiresAtMs: job.token_expires_at_ms,
    messageId: job.reply_message_id,
    attachmentSizeLimitBytes: job.attachment_size_limit_bytes,
  };
}
