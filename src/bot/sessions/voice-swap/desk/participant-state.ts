import { unreachable } from '../../../../base/errors.ts';
import type { Succession } from './succession.ts';
import { RENEW_AHEAD_MS } from './voice-limits.ts';
import type { VoiceLine } from '../../voice-line.ts';
import type { SpeakerState } from './speaker-view.ts';

/** How a participant stands. */
export type ParticipantState =
  /** Listened to only for whether they speak. */
  | { readonly kind: 'quiet' }
  | { readonly kind: 'connecting'; readonly opening: AbortController }
  | Live
  | { readonly kind: 'waiting'; readonly problem: string; readonly againAtMs: number }
  | { readonly kind: 'over'; readonly problem: string }
  | { readonly kind: 'left' };

/** A paid line is open. */
export interface Live {
  readonly kind: 'live';
  readonly line: VoiceLine;
  readonly sinceMs: number;
  /** How long before its end another one is asked for, where that is allowed. */
  readonly renewAheadMs: number;
  /** When the member spoke last, and since when without a pause. */
  heardAtMs: number;
  spokenSinceMs: number;
  /** What is to follow. */
  readonly next: Succession;
}

/** Just opened, with nothing to follow yet. */
export function liveWith(
  line: VoiceLine,
  next: Succession,
  times: Pick<Live, 'sinceMs' | 'heardAtMs'>,
): Live {
  const renewAheadMs = Math.min(RENEW_AHEAD_MS, line.standing.leftMs / 3);
  return { kind: 'live', line, next, renewAheadMs, ...times, spokenSinceMs: times.sinceMs };
}

/** Of speech, which is told some times a second. */
const PAUSE_MS = 2_000;

/** The member speaks. */
export function hear(live: Live, nowMs: number): void {
  if (nowMs - live.heardAtMs > PAUSE_MS) live.spokenSinceMs = nowMs;
  live.heardAtMs = nowMs;
}

/** Whether the member has spoken for so long, and still does, and nothing comes back. */
export function isUnanswered(live: Live, nowMs: number, unansweredMs: number): boolean {
  const isSpeaking =
    nowMs - live.heardAtMs <= PAUSE_MS && live.heardAtMs - live.spokenSinceMs >= unansweredMs;
  return isSpeaking && live.line.standing.quietMs >= unansweredMs;
}

/** As members see it; times are epoch milliseconds. */
export function shownState(state: ParticipantState, isSilenced: boolean, nowMs: number): SpeakerState {
  if (isSilenced && state.kind !== 'over') return { kind: 'silenced' };
  switch (state.kind) {
    case 'quiet':
    case 'left':
      return { kind: 'quiet' };
    case 'connecting':
      return { kind: 'connecting' };
    case 'live':
      return {
        kind: 'live',
        untilMs: nowMs + state.line.standing.leftMs,
        problem: state.next.problem,
      };
    case 'waiting':
    case 'over':
      return state;
    default:
      return unreachable(state);
  }
}
