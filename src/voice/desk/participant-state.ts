import type { VoiceLine } from '../../live/ports.ts';
import { RENEW_AHEAD_MS } from './voice-limits.ts';

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
  next: Next;
}

/** The line that is to follow. */
type Next =
  | { readonly kind: 'none' }
  | { readonly kind: 'opening'; readonly opening: AbortController; readonly isForNow: boolean }
  | { readonly kind: 'ready'; readonly line: VoiceLine }
  | { readonly kind: 'failed'; readonly problem: string };

export const NONE: Next = { kind: 'none' };
/** A line that is being opened to follow is not wanted any more. */
export function dropOpening({ next }: Live): void {
  if (next.kind === 'opening') next.opening.abort(new Error('Not wanted any more'));
}

/** Just opened, with nothing to follow yet. */
export function liveWith(line: VoiceLine, sinceMs: number, heardAtMs: number): Live {
  const renewAheadMs = Math.min(RENEW_AHEAD_MS, line.standing.leftMs / 3);
  return { kind: 'live', line, sinceMs, renewAheadMs, heardAtMs, spokenSinceMs: sinceMs, next: NONE };
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
