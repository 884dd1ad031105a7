import { unreachable } from '../../../../base/errors.ts';
import type { SessionEnd, SessionPhase } from './voice-view.ts';

/** The state of a voice session. The bot listens to members only while it is `on`. */
export type VoiceSessionState =
  /** The bot has joined and is speaking the notice. */
  | { readonly kind: 'announcing' }
  | { readonly kind: 'on' }
  /**
   * The connection to Discord broke. If `isAnnounced` is set, the notice has been spoken, so the bot listens to members
   * as soon as the connection is restored.
   */
  | { readonly kind: 'interrupted'; readonly isAnnounced: boolean }
  /** This state is final. */
  | { readonly kind: 'ended'; readonly why: SessionEnd };

/** A voice session's events. */
export type VoiceSessionEvent =
  /** The notice has been spoken. */
  | { readonly kind: 'announced' }
  /** A connection to Discord broke. */
  | { readonly kind: 'broke' }
  /** All connections to Discord are restored. */
  | { readonly kind: 'restored' }
  | { readonly kind: 'ended'; readonly why: SessionEnd };

/** Returns the next state, which is the same object if the event changes nothing. */
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

/** Returns the phase of a session as members see it. */
export function phaseOf(state: VoiceSessionState): SessionPhase {
  return state.kind === 'interrupted' ? { kind: 'interrupted' } : state;
}
