import type { CloseReason } from '../../line-end.ts';
import type { SessionEnd } from './voice-view.ts';

/** For each way that a session can end, the reason that the books record for its lines. */
export const CLOSED_FOR: Readonly<Record<SessionEnd, CloseReason>> = {
  stopped: 'stopped',
  time_up: 'stopped',
  empty: 'left',
  moved: 'channel_lost',
  disconnected: 'channel_lost',
  channel_deleted: 'channel_lost',
  unreachable: 'channel_lost',
  undisclosed: 'undisclosed',
  shutdown: 'shutdown',
  crash: 'shutdown',
};
