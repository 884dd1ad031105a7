/** Bounds of live swaps; times in milliseconds. */
export interface LiveSwapLimits {
  /** How long a link can be used. Default 10 min. */
  readonly linkMs: number;
  /** How long the page may wait before the member starts. Default 30 min. */
  readonly startMs: number;
  /** Without a picture from the page for so long, what is live ends. Default 10,000. */
  readonly silentMs: number;
  /** How long the page may send without anything coming back before the service counts as lost. Default 15,000. */
  readonly unansweredMs: number;
  /** How often it is looked whether what was allowed still is. Default 5,000. */
  readonly recheckMs: number;
  /** And, by asking the chat, whether the member is still in the guild. Default 30,000. */
  readonly memberRecheckMs: number;
  /** Links and sessions of this process. Default 200. */
  readonly sessionsMax: number;
  /** Who may look at the output of one session. Default 4. */
  readonly viewersMax: number;
  /** Pictures that may be on their way to one page unanswered. Default 3. */
  readonly aheadMax: number;
  /** How long an ended session waits for what it cost, for the page to show. Default 60,000. */
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
/** How often a session looks at its times. */
export const TICK_MS = 250;
/** How often the page is told how it stands. */
export const FIGURES_MS = 1_000;
/** Told that long before the end. */
export const WARNING_MS = 60_000;
/** A picture of a page that may wait to be sent to the service. */
export const WAITING_BYTES_MAX: number = 4 * 1024 * 1024;
