import { SETTING_DEFAULTS } from '../../../settings/setting-defaults.ts';

/** Voice session limits. Times are in milliseconds. */
export interface VoiceLimits {
  /** A line is closed after this much silence; the next word opens another line. Default 60 s, at least 5 s. */
  readonly idleMs: number;
  /** A line counts as broken if the service returns nothing while the member speaks for this long. Default 10 s. */
  readonly unansweredMs: number;
  /** The number of participants that one session may have. Default 20. */
  readonly speakersMax: number;
  /** The number of sessions that this process may have. Default 50. */
  readonly sessionsMax: number;
  /** The bot leaves a channel that has been empty for this long. Default 30 s. */
  readonly emptyMs: number;
}

export const VOICE_LIMITS: VoiceLimits = {
  idleMs: SETTING_DEFAULTS.voice.idleSeconds * 1000,
  unansweredMs: 10_000,
  speakersMax: 20,
  sessionsMax: 50,
  emptyMs: 30_000,
};

/** The interval at which a session checks its times. It is short enough for a session to end within a second. */
export const TICK_MS = 250;
/** Members are warned this long before the end of the session. */
export const WARNING_MS = 60_000;
/** The next line is requested at most this long before the current one ends, so that a refusal is shown in time. */
export const RENEW_AHEAD_MS = 60_000;
/** How long before the current line ends the next one replaces it. */
export const SWITCH_AHEAD_MS = 2_000;
/** The longest time that opening a line may take. */
export const OPEN_MS_MAX = 15_000;
export const MINUTE_MS = 60_000;
/** The interval at which stored consents are checked, because another process may have deleted a member's data. */
export const RECHECK_MS = 5_000;
/** The shortest time between two voice choices of one member, because each choice opens a paid line. */
export const CHOICE_PAUSE_MS = 2_000;
