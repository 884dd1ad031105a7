import { unreachable } from '../../../base/errors.ts';

/**
 * The state of a connection to one voice server. `resumes` is the number of times the connection broke and had to be
 * resumed.
 */
export type VoiceLinkState =
  | { readonly kind: 'opening' }
  /** The connection exists, but the members of the call have not agreed on keys yet. */
  | { readonly kind: 'keying'; readonly resumes: number }
  | { readonly kind: 'ready'; readonly resumes: number }
  | { readonly kind: 'resuming'; readonly resumes: number }
  /**
   * The connection ended. `code` is the voice server's close code, or null if the bot abandoned the connection. This
   * state is final.
   */
  | { readonly kind: 'closed'; readonly code: number | null }
  /** The object that owns the connection ended it. This state is final. */
  | { readonly kind: 'disposed' };

export type VoiceLinkEvent =
  /**
   * Packets can be sent and received. `hasKeys` states whether the bot can already encrypt, or needs no keys because
   * it is alone.
   */
  | { readonly kind: 'connected'; readonly hasKeys: boolean }
  | { readonly kind: 'keys_agreed' }
  | { readonly kind: 'broke' }
  /** The state's time limit has passed. */
  | { readonly kind: 'timed_out' }
  | { readonly kind: 'closed'; readonly code: number | null }
  | { readonly kind: 'disposed' };

export const RESUMES_MAX = 5;
const GIVEN_UP: VoiceLinkState = { kind: 'closed', code: null };

/** Returns the next state; returns `state` itself if the event changes nothing. */
export function next(state: VoiceLinkState, event: VoiceLinkEvent): VoiceLinkState {
  if (isOver(state)) return state;
  switch (event.kind) {
    case 'connected':
      return { kind: event.hasKeys ? 'ready' : 'keying', resumes: resumesOf(state) };
    case 'keys_agreed':
      return state.kind === 'keying' ? { ...state, kind: 'ready' } : state;
    case 'broke': {
      const resumes = resumesOf(state) + 1;
      return resumes > RESUMES_MAX ? GIVEN_UP : { kind: 'resuming', resumes };
    }
    case 'timed_out':
      // Even without keys, the bot can exchange unencrypted speech, so it counts as connected after the time limit.
      if (state.kind === 'keying') return { ...state, kind: 'ready' };
      return state.kind === 'ready' ? state : GIVEN_UP;
    case 'closed':
    case 'disposed':
      return event;
    default:
      return unreachable(event);
  }
}

/** Returns whether the state is final. */
export function isOver(state: VoiceLinkState): boolean {
  return state.kind === 'closed' || state.kind === 'disposed';
}

function resumesOf(state: VoiceLinkState): number {
  return 'resumes' in state ? state.resumes : 0;
}
