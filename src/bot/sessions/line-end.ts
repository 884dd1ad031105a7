/** Why we close a session. */
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

/** Why one ended: by us, by us at the granted limit (`granted`), or by the service or the network (`lost`). */
export type LineEnd =
  | { readonly kind: 'closed'; readonly reason: CloseReason }
  | { readonly kind: 'granted' }
  | { readonly kind: 'lost'; readonly code: number };
