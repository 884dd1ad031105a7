/** What a member's speech becomes: one of the service's voices, or null for no change, which is a choice too. */
export interface VoiceChoice {
  readonly voiceId: string | null;
}

/** For how long, in minutes from 1 to 120, and with which voice for the one who starts. */
export interface StartWish extends VoiceChoice {
  readonly minutes: number;
  /** Another channel, where a second bot user speaks what is heard in the caller's; for moderators. */
  readonly stageChannelId?: string | undefined;
}
