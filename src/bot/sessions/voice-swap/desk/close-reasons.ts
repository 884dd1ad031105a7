import type { VoiceRevoker } from '../../../../../db/schema/voice.ts';
import type { CloseReason } from '../../ports.ts';
import type { SessionEnd } from './desk-ports.ts';

/** The reason with which the lines are closed when a session ends. */
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

/** The reason with which a participant's lines are closed when their consent is revoked. */
export const LEFT_FOR: Readonly<Record<VoiceRevoker, CloseReason>> = {
  member: 'opted_out',
  left: 'left',
  moderator: 'moderated',
  end: 'stopped',
};
