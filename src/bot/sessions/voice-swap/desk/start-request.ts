/** The voice that a member chose: one of the service's voices, or null to leave the voice unchanged. */
export interface VoiceChoice {
  readonly voiceId: string | null;
}

/** The requested session: its length in minutes, from 1 to 120, and the starting member's voice. */
export interface StartRequest extends VoiceChoice {
  readonly minutes: number;
  /** Another channel, in which a second bot user plays the converted speech. Only moderators may choose one. */
  readonly stageChannelId?: string | undefined;
}
