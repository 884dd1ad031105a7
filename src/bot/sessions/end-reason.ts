import type { CloseReason } from './line-end.ts';

/** Why a session ended, as the books record it. */
export type EndReason =
  | CloseReason
  /** This process closed the session at the granted limit. */
  | 'granted'
  /** The service or the network ended the session. */
  | 'lost'
  /** The service did not send its audio format. */
  | 'no_format'
  /** The service opened the session, but the bot did not connect to it. */
  | 'unconnected'
  /** The service did not open the session. */
  | 'not_opened'
  /** The process that ran the session died. */
  | 'crashed';
