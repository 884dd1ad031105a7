import { SOCKET_LIMITS, type SocketLimits } from '../../media-api/session-socket.ts';

/** Bounds of paid sessions. Times in milliseconds. */
export interface SessionLimits extends SocketLimits {
  /** Sessions of this process at once. Default 100. */
  readonly sessionsMax: number;
  /** For the service to open one, with what is tried again. Default 2 min. */
  readonly openMs: number;
  /** From connecting until the service has told how a voice session speaks. Default 10 s. */
  readonly formatMs: number;
  /** How much sooner than the service a session is closed by us, at most a tenth of what was granted. Default 1 s. */
  readonly marginMs: number;
  /** Audio that may wait to be sent before more is dropped. Default 300 ms. */
  readonly waitingAudioMs: number;
  /** How often a process says that it lives, and after what silence its sessions are taken over. Default 5 s, 30 s. */
  readonly beatMs: number;
  readonly leaseMs: number;
  /** From a session's end to the first look for its charge, and from one reading of the log to the next. Default 1 s, 10 s. */
  readonly firstLookMs: number;
  readonly lookMs: number;
  /** So long after its end, a session whose charge was not found is set aside for review. Default 1 day. */
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
