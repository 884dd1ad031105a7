import type { LiveSwapEnd } from '../live-swap-end.ts';
import type { CloseReason, LineEnd } from '../../line-end.ts';

/** What is written down as the reason why the paid session was closed. */
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

/** What the end of the paid session means for the live swap. */
export function endOf(end: LineEnd): LiveSwapEnd {
  if (end.kind === 'granted') return 'granted';
  if (end.kind === 'lost') return 'lost';
  return end.reason === 'shutdown' ? 'shutdown' : 'stopped';
}
