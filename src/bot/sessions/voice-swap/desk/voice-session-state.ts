import { unreachable } from '../../../../base/errors.ts';
import type { SessionEnd, SessionPhase } from './voice-view.ts';

/** The state of a voice session. Members are heard only while it is `on`. */
export type VoiceSessionState =
  /** The bot has joined and speaks the notice. */
  | { readonly kind: 'announcing' }
  | { readonly kind: 'on' }
  /** The connection to Discord broke. `isAnnounced`: the notice is over, so members are heard once it is restored. */
  | { readonly kind: 'interrupted'; readonly isAnnounced: boolean }
  /** This state is final. */
  | { readonly kind: 'ended'; readonly why: SessionEnd };

/** The events of a voice session. */
export type VoiceSessionEvent =
  /** The notice is over. */
  | { readonly kind: 'announced' }
  /** A connection to Discord broke. */
  | { readonly kind: 'broke' }
  /** All connections to Discord are there again. */
  | { readonly kind: 'restored' }
  | { readonly kind: 'ended'; readonly why: SessionEnd };

/** The state after the event; the same object when the event changes nothing. */
export function next(state: VoiceSessionState, event: VoiceSessionEvent): VoiceSessionState {
  if (state.kind === 'ended') return state;
  switch (event.kind) {
    case 'announced':
      if (state.kind === 'announcing') return { kind: 'on' };
      return state.kind === 'interrupted' && !state.isAnnounced ? { ...state, isAnnounced: true } : state;
    case 'broke':
      return state.kind === 'interrupted' ? state : { kind: 'interrupted', isAnnounced: state.kind === 'on' };
    case 'restored':
      if (state.kind !== 'interrupted') return state;
      return { kind: state.isAnnounced ? 'on' : 'announcing' };
    case 'ended':
      return event;
    default:
      return unreachable(event);
  }
}

/** The state as members see it. */
export function phaseOf(state: VoiceSessionState): SessionPhase {
  return state.kind === 'interrupted' ? { kind: 'interrupted' } : state;
}
