import type { CloseReason } from './line-end.ts';

/** Why a session ended, as the books record it. */
export type EndReason =
  | CloseReason
  /** This process closed it at the granted limit. */
  | 'granted'
  /** The service or the network ended it. */
  | 'lost'
  /** The service did not send the format of its audio. */
  | 'no_format'
  /** The service opened it, and the bot did not connect to it. */
  | 'unconnected'
  /** The service did not open it. */
  | 'not_opened'
  /** The process that ran it died. */
  | 'crashed';
