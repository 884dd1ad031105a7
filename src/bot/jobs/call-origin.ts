/** Who used the bot, where and when; what they may do is what Discord says at that moment. */
export interface CallOrigin {
  readonly interactionId: string;
  readonly applicationId: string;
  readonly guildId: string;
  readonly channelId: string;
  /** The channel of the thread and the category, nearest first; null when it is not known where the channel is. */
  readonly parentChannelIds: readonly string[] | null;
  /** Discord's age restriction of the channel. */
  readonly isAgeRestricted: boolean;
  readonly userId: string;
  readonly roleIds: readonly string[];
  /** May manage the server: sets rules and budgets. */
  readonly isAdmin: boolean;
  /** May manage messages in the whole server: sees and removes others' jobs. */
  readonly isModerator: boolean;
  /** May move or mute members of voice channels in the whole server. */
  readonly isVoiceModerator: boolean;
  /** The member's language, such as `en-GB`. */
  readonly locale: string;
  readonly interactionToken: string;
  readonly receivedAtMs: number;
  readonly attachmentSizeLimitBytes: number;
}

export type Viewer = Pick<CallOrigin, 'guildId' | 'channelId' | 'userId'>;

export type Picker = Pick<CallOrigin, 'guildId' | 'userId'>;
