/** Where a member's card lives; stored with the job. */
export interface ReplyTarget {
  readonly jobId: string;
  readonly applicationId: string;
  readonly guildId: string;
  readonly channelId: string;
  readonly userId: string;
  readonly interactionToken: string;
  /** After this moment (epoch milliseconds) edits go by channel and message with the bot's own token. */
  readonly tokenExpiresAtMs: number;
  /** The deferred reply, once its id is known. */
  readonly messageId: string | null;
  /** Largest file that the chat takes there. */
  readonly attachmentSizeLimitBytes: number;
}
