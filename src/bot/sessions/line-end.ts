/** Why the bot closes a session. */
export type CloseReason =
  | 'left'
  | 'opted_out'
  | 'moderated'
  | 'stopped'
  | 'idle'
  | 'unanswered'
  | 'replaced'
  | 'channel_lost'
  | 'undisclosed'
  | 'shutdown';

/**
 * How a session ended: closed by the bot (`closed`), closed by the bot at the granted limit (`granted`), or ended by
 * the service or the network (`lost`).
 */
export type LineEnd =
  | { readonly kind: 'closed'; readonly reason: CloseReason }
  | { readonly kind: 'granted' }
  | { readonly kind: 'lost'; readonly code: number };
