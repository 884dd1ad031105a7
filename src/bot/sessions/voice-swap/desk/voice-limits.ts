/** Bounds of voice sessions; times in milliseconds. */
export interface VoiceLimits {
  /** Silence of a speaker after which their paid line is closed; the next word opens another. Default 60,000, at least 5,000. */
  readonly idleMs: number;
  /** How long a member may speak without anything coming back before their line counts as broken. Default 10,000. */
  readonly unansweredMs: number;
  /** Speakers in one channel. Default 20. */
  readonly speakersMax: number;
  /** Channels of one process. Default 50. */
  readonly sessionsMax: number;
  /** How long a channel may be empty before the bot leaves it. Default 30,000. */
  readonly emptyMs: number;
}

export const VOICE_LIMITS: VoiceLimits = {
  idleMs: 60_000,
  unansweredMs: 10_000,
  speakersMax: 20,
  sessionsMax: 50,
  emptyMs: 30_000,
};

/** How often a session looks at its times, so that whatever must close does so within a second. */
export const TICK_MS = 250;
/** Told that long before the end. */
export const WARNING_MS = 60_000;
/** The next line is asked for at most that long before the last one ends, so that a refusal is told in time. */
export const RENEW_AHEAD_MS = 60_000;
/** And takes its place that long before. */
export const SWITCH_AHEAD_MS = 2_000;
/** Opening a line may take so long. */
export const OPEN_MS_MAX = 15_000;
export const MINUTE_MS = 60_000;
/** How often it is looked whether consents still stand: another process may have been told to forget a member. */
export const RECHECK_MS = 5_000;
/** Between two choices of one member: each opens a paid line. */
export const CHOICE_PAUSE_MS = 2_000;
