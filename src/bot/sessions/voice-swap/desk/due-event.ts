import { type Live, type Moment, PAUSE_MS, type ParticipantEvent } from './participant-state.ts';
import { RENEW_AHEAD_MS, SWITCH_AHEAD_MS } from './voice-limits.ts';

interface Bounds {
  readonly idleMs: number;
  readonly unansweredMs: number;
  /** Whether another line may follow when the current line's time is used up. */
  readonly isRenewed: boolean;
}

/** Returns the event that is due for an open line at this moment; null if none is. */
export function dueEvent(live: Live, at: Moment, bounds: Bounds): ParticipantEvent | null {
  const { monotonicMs } = at;
  const { held, follower } = live;
  if (monotonicMs - live.heardAtMs >= bounds.idleMs) return { kind: 'rested', reason: 'idle' };
  if (isUnanswered(live, at, bounds)) return { kind: 'unanswered', at };
  const leftMs = held.endsAtMs - monotonicMs;
  if (follower.kind === 'ready' && leftMs <= SWITCH_AHEAD_MS) return { kind: 'switch_due', at };
  const isRenewalDue = bounds.isRenewed && follower.kind === 'none' && leftMs <= renewAheadMs(live);
  return isRenewalDue ? { kind: 'renewal_due' } : null;
}

/** Returns whether the member has been speaking for `unansweredMs` without any reply from the service. */
function isUnanswered(live: Live, { monotonicMs }: Moment, { unansweredMs }: Bounds): boolean {
  const isSpeaking = monotonicMs - live.heardAtMs <= PAUSE_MS;
  const isLong = live.heardAtMs - live.spokenSinceMs >= unansweredMs;
  return isSpeaking && isLong && live.held.line.standing.quietMs >= unansweredMs;
}

/**
 * Returns how many milliseconds before the end of a line the next line is requested: `RENEW_AHEAD_MS`, but at most a
 * third of the line's length.
 */
function renewAheadMs({ held, sinceMs }: Live): number {
  return Math.min(RENEW_AHEAD_MS, (held.endsAtMs - sinceMs) / 3);
}
