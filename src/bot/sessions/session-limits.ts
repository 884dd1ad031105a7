import { SOCKET_LIMITS, type SocketLimits } from '../../media-api/session-socket.ts';

/** Limits on paid sessions. Times are in milliseconds. */
export interface SessionLimits extends SocketLimits {
  /** The number of sessions that this process may have at the same time. Default 100. */
  readonly sessionsMax: number;
  /** The longest time for the service to open a session, including retries. Default 2 min. */
  readonly openMs: number;
  /** The longest time from connecting until the service has sent the audio format of a voice session. Default 10 s. */
  readonly formatMs: number;
  /**
   * This process closes a session this long before the granted limit, but no earlier than when nine tenths of the
   * granted time have passed. Default 1 s.
   */
  readonly marginMs: number;
  /** The amount of audio that may wait to be sent. Any more is dropped. Default 300 ms. */
  readonly waitingAudioMs: number;
  /** The interval at which a process renews its lease on its sessions. Default 5 s. */
  readonly beatMs: number;
  /** Another process ends the sessions if the lease has not been renewed for this long. Default 30 s. */
  readonly leaseMs: number;
  /** The time from a session's end to the first search for its charge. Default 1 s. */
  readonly firstLookMs: number;
  /** The interval between readings of the usage log. Default 10 s. */
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
