import type { CloseReason } from './line-end.ts';

/** Why a session is over, as the books keep it. */
export type EndReason =
  | CloseReason
  /** This process closed it at the granted limit. */
  | 'granted'
  /** The service or the network ended it. */
  | 'lost'
  /** The service did not send the format of its audio. */
  | 'no_format'
  /** The service opened it, and nobody connected to it. */
  | 'unconnected'
  /** The service did not open it. */
  | 'not_opened'
  /** Its process died. */
  | 'crashed';
