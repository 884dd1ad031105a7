/** Live swap limits. Times are in milliseconds. */
export interface LiveSwapLimits {
  /** How long a link is valid. Default 10 min. */
  readonly linkMs: number;
  /** How long the page waits for the member to start. Default 30 min. */
  readonly startMs: number;
  /** The session ends after this time without a picture from the page. Default 10 s. */
  readonly silentMs: number;
  /** The service counts as lost if it returns nothing for this long although the page sends pictures. Default 15 s. */
  readonly unansweredMs: number;
  /** The interval between checks of whether the session is still allowed. Default 5 s. */
  readonly recheckMs: number;
  /** The interval between requests that ask Discord whether the member is still in the guild. Default 30 s. */
  readonly memberRecheckMs: number;
  /** The number of links and sessions that this process may have. Default 200. */
  readonly sessionsMax: number;
  /** The number of viewers that the output of one session may have. Default 4. */
  readonly viewersMax: number;
  /** The number of pictures that may be sent to a page before it acknowledges one. Default 3. */
  readonly aheadMax: number;
  /** How long the page of an ended session waits for the charge. Default 60 s. */
  readonly chargeMs: number;
}

export const LIVE_SWAP_LIMITS: LiveSwapLimits = {
  linkMs: 600_000,
  startMs: 1_800_000,
  silentMs: 10_000,
  unansweredMs: 15_000,
  recheckMs: 5_000,
  memberRecheckMs: 30_000,
  sessionsMax: 200,
  viewersMax: 4,
  aheadMax: 3,
  chargeMs: 60_000,
};

export const MINUTES_MAX = 240;
export const PROMPT_LENGTH_MAX = 2_000;
export const FACE_BYTES_MAX: number = 10 * 1024 * 1024;
/** The interval between checks of a session's deadlines. */
export const TICK_MS = 250;
/** The interval between updates of the figures on the page. */
export const FIGURES_MS = 1_000;
/** The member is warned this long before the end of the session. */
export const WARNING_MS = 60_000;
/** How many bytes of picture data may wait to be sent to the service. */
export const WAITING_BYTES_MAX: number = 4 * 1024 * 1024;
