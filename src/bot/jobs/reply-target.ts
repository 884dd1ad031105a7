/** The location of a member's card, which is stored with the job. */
export interface ReplyTarget {
  readonly jobId: string;
  readonly applicationId: string;
  readonly guildId: string;
  readonly channelId: string;
  readonly userId: string;
  readonly interactionToken: string;
  /** After this moment (epoch milliseconds), edits use the channel, the message and the bot's own token. */
  readonly tokenExpiresAtMs: number;
  /** The id of the deferred reply; null until it is known. */
  readonly messageId: string | null;
  /** The size of the largest file that the chat accepts in this channel. */
  readonly attachmentSizeLimitBytes: number;
}
