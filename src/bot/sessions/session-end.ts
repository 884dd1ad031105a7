import type { CloseReason, LineEnd } from './line-end.ts';

/**
 * Why a session is over, as it is kept: why we closed it; `granted`: at the granted limit; `lost`: by the service or the
 * network; `no_format`: the service did not say how it speaks; `unconnected`; `not_opened`; `crashed`: its process died.
 */
export type EndReason =
  | CloseReason
  | 'granted'
  | 'lost'
  | 'no_format'
  | 'unconnected'
  | 'not_opened'
  | 'crashed';

export function reasonOf(end: LineEnd): EndReason {
  return end.kind === 'closed' ? end.reason : end.kind;
}
