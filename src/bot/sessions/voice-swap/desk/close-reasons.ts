import type { VoiceRevoker } from '../../../../../db/schema/voice.ts';
import type { CloseReason } from '../../line-end.ts';
import type { SessionEnd } from './voice-view.ts';

/** As what the paid lines of a session are closed that ends. */
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

/** As what the paid line of a member is closed who is not heard any more. */
export const LEFT_FOR: Readonly<Record<VoiceRevoker, CloseReason>> = {
  member: 'opted_out',
  left: 'left',
  moderator: 'moderated',
  end: 'stopped',
};
