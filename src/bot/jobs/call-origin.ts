/**
 * The origin of a call: the member who used the bot, the guild and channel, and the member's permissions in Discord at
 * the time of the call.
 */
export interface CallOrigin {
  readonly interactionId: string;
  readonly applicationId: string;
  readonly guildId: string;
  readonly channelId: string;
  /** The channels above this one, nearest first: a thread's channel and the category. Null if they are not known. */
  readonly parentChannelIds: readonly string[] | null;
  /** Whether the channel is age-restricted in Discord. */
  readonly isAgeRestricted: boolean;
  readonly userId: string;
  readonly roleIds: readonly string[];
  /** Whether the member may manage the server, and may therefore set rules and budgets. */
  readonly isAdmin: boolean;
  /** Whether the member may manage messages in the whole server, and may therefore see and remove others' jobs. */
  readonly isModerator: boolean;
  /** Whether the member may move or mute members in all of the server's voice channels. */
  readonly isVoiceModerator: boolean;
  /** The member's language, such as `en-GB`. */
  readonly locale: string;
  readonly interactionToken: string;
  readonly receivedAtMs: number;
  readonly attachmentSizeLimitBytes: number;
}

/** The member who wants to see something, and the channel they are in. */
export type Viewer = Pick<CallOrigin, 'guildId' | 'channelId' | 'userId'>;

/** The member who picks files. */
export type Picker = Pick<CallOrigin, 'guildId' | 'userId'>;
