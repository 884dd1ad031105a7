import type { LiveSwapEnd } from '../live-swap-end.ts';
import type { CloseReason, LineEnd } from '../../line-end.ts';

/** For each way that a live swap can end, the reason that the books record for its paid session. */
export const CLOSED_FOR: Readonly<Record<LiveSwapEnd, CloseReason>> = {
  stopped: 'stopped',
  closed: 'left',
  silent: 'idle',
  granted: 'stopped',
  lost: 'unanswered',
  not_allowed: 'moderated',
  consent_gone: 'opted_out',
  face_gone: 'opted_out',
  expired: 'stopped',
  shutdown: 'shutdown',
};

/** Returns why a live swap ends, given how its paid session ended. */
export function endOf(end: LineEnd): LiveSwapEnd {
  if (end.kind === 'granted') return 'granted';
  if (end.kind === 'lost') return 'lost';
  return end.reason === 'shutdown' ? 'shutdown' : 'stopped';
}
