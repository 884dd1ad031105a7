import { SOCKET_LIMITS, type SocketLimits } from '../../media-api/session-socket.ts';

/** Limits of paid sessions. Times in milliseconds. */
export interface SessionLimits extends SocketLimits {
  /** Number of sessions that this process may have at the same time. Default 100. */
  readonly sessionsMax: number;
  /** Time for the service to open a session, retries included. Default 2 min. */
  readonly openMs: number;
  /** Time from connecting until the service must have sent the format of a voice session. Default 10 s. */
  readonly formatMs: number;
  /**
   * This process closes a session this long before the granted limit, but at most a tenth of the granted time.
   * Default 1 s.
   */
  readonly marginMs: number;
  /** Amount of audio that may wait to be sent. More is dropped. Default 300 ms. */
  readonly waitingAudioMs: number;
  /** Time between two renewals of a process's lease on its sessions. Default 5 s. */
  readonly beatMs: number;
  /** Time without a renewal after which another process ends the sessions. Default 30 s. */
  readonly leaseMs: number;
  /** Time from a session's end to the first search for its charge. Default 1 s. */
  readonly firstLookMs: number;
  /** Time between two readings of the usage log. Default 10 s. */
  readonly lookMs: number;
  /** A session whose charge is not found this long after its end goes to review. Default 1 day. */
  readonly recordMsMax: number;
}

export const SESSION_LIMITS: SessionLimits = {
  ...SOCKET_LIMITS,
  sessionsMax: 100,
  openMs: 120_000,
  formatMs: 10_000,
  marginMs: 1_000,
  waitingAudioMs: 300,
  beatMs: 5_000,
  leaseMs: 30_000,
  firstLookMs: 1_000,
  lookMs: 10_000,
  recordMsMax: 86_400_000,
};
