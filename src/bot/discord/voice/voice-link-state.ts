import { unreachable } from '../../../base/errors.ts';

/** The state of a connection to one voice server. `resumes`: times that it broke and was to be resumed. */
export type VoiceLinkState =
  | { readonly kind: 'opening' }
  /** It is connected, but the members of the call still agree on keys. */
  | { readonly kind: 'keying'; readonly resumes: number }
  | { readonly kind: 'ready'; readonly resumes: number }
  | { readonly kind: 'resuming'; readonly resumes: number }
  /** It ended with the voice server's code; null: it was given up. This state is final. */
  | { readonly kind: 'closed'; readonly code: number | null }
  /** Its owner ended it. This state is final. */
  | { readonly kind: 'disposed' };

export type VoiceLinkEvent =
  /** Packets can come and go. `hasKeys`: the bot can already encrypt, or there is nobody to agree on keys with. */
  | { readonly kind: 'connected'; readonly hasKeys: boolean }
  | { readonly kind: 'keys_agreed' }
  | { readonly kind: 'broke' }
  /** The time of the state is up. */
  | { readonly kind: 'timed_out' }
  | { readonly kind: 'closed'; readonly code: number | null }
  | { readonly kind: 'disposed' };

export const RESUMES_MAX = 5;
const GIVEN_UP: VoiceLinkState = { kind: 'closed', code: null };

/** The state after the event; the same object when the event changes nothing. */
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
      // Without keys the bot hears and speaks what is not encrypted, so it counts as connected.
      if (state.kind === 'keying') return { ...state, kind: 'ready' };
      return state.kind === 'ready' ? state : GIVEN_UP;
    case 'closed':
    case 'disposed':
      return event;
    default:
      return unreachable(event);
  }
}

/** Nothing follows. */
export function isOver(state: VoiceLinkState): boolean {
  return state.kind === 'closed' || state.kind === 'disposed';
}

function resumesOf(state: VoiceLinkState): number {
  return 'resumes' in state ? state.resumes : 0;
}
