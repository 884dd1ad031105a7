import { unreachable } from '../../../base/errors.ts';
import type { EndpointEnd } from '../../sessions/voice-swap/voice-endpoint.ts';
import type { CloseVerdict } from './judge-close.ts';
import type { VoiceCredentials } from './voice-seat.ts';

/** The state of a voice call. Each new phase object stands for entering that phase, also when its kind is the same. */
export interface VoiceCallState {
  readonly phase: CallPhase;
  /** Discord has the bot in the channel. */
  readonly isSeated: boolean;
  /** Tries in a row without a connection that held. */
  readonly attempts: number;
  /** Times that the call was connected. */
  readonly connections: number;
}

export type CallPhase =
  /** The bot waits before it asks for a voice server. `isUnanswered`: Discord did not answer the last time. */
  | { readonly kind: 'pausing'; readonly isUnanswered: boolean }
  /** The main gateway was asked for a voice server. */
  | { readonly kind: 'asking' }
  /** The voice server is gone, and the main gateway will name another. */
  | { readonly kind: 'moving' }
  /** The bot connects to a voice server. */
  | { readonly kind: 'linking'; readonly server: VoiceCredentials }
  /** `sinceMs` is monotonic. */
  | { readonly kind: 'linked'; readonly server: VoiceCredentials; readonly sinceMs: number }
  /** The connection broke, and the same voice server is asked to resume it. */
  | { readonly kind: 'resuming'; readonly server: VoiceCredentials; readonly sinceMs: number }
  /**
   * The bot was sent away. The reason, or the name of another voice server (unless `isOut` of the channel), comes in
   * a moment.
   */
  | { readonly kind: 'leaving'; readonly isOut: boolean }
  /** This phase is final. `mustLeave`: Discord may still have the bot in the channel. */
  | { readonly kind: 'ended'; readonly why: EndpointEnd; readonly mustLeave: boolean };

export type VoiceCallEvent =
  /** The time of the phase is up. `exists`: the channel is still there. */
  | { readonly kind: 'timed_out'; readonly exists: boolean }
  /** The main gateway cannot be asked now. */
  | { readonly kind: 'not_asked' }
  | { readonly kind: 'server_named'; readonly server: VoiceCredentials }
  | { readonly kind: 'server_gone' }
  /** The main gateway reports where Discord has the bot. */
  | { readonly kind: 'placed'; readonly where: 'here' | 'elsewhere' | 'nowhere' }
  /** The connection to the voice server could not even be started. */
  | { readonly kind: 'link_failed' }
  | { readonly kind: 'link_ready'; readonly atMs: number }
  | { readonly kind: 'link_resuming' }
  | { readonly kind: 'link_closed'; readonly verdict: CloseVerdict; readonly atMs: number }
  /** The bot leaves, or its own connection to Discord ended. */
  | { readonly kind: 'ended'; readonly why: EndpointEnd };

/** Tries in a row before a channel is given up. */
export const REJOINS_MAX = 5;
/** A connection that held for this long, in milliseconds, ends a series of tries. */
export const STABLE_MS = 60_000;

/** A call that is about to ask for its first voice server. */
export const START: VoiceCallState = {
  phase: { kind: 'pausing', isUnanswered: false },
  isSeated: false,
  attempts: 0,
  connections: 0,
};

/** The state after the event; the same object when the event changes nothing. */
export function next(state: VoiceCallState, event: VoiceCallEvent): VoiceCallState {
  const { phase } = state;
  if (phase.kind === 'ended') return state;
  switch (event.kind) {
    case 'timed_out':
      return timeOut(state, event.exists);
    case 'not_asked':
      return phase.kind === 'asking' ? tryAgain(state) : state;
    case 'server_named':
      return isOut(state) ? state : { ...state, phase: { kind: 'linking', server: event.server } };
    case 'server_gone':
      return isOut(state) ? state : { ...state, phase: { kind: 'moving' } };
    case 'placed':
      return place(state, event.where);
    case 'link_failed':
      return phase.kind === 'linking' ? tryAgain(state) : state;
    case 'link_ready':
      return connect(state, event.atMs);
    case 'link_resuming':
      return phase.kind === 'linked' ? { ...state, phase: { ...phase, kind: 'resuming' } } : state;
    case 'link_closed':
      return closeLink(state, event.verdict, event.atMs);
    case 'ended':
      return end(state, event.why);
    default:
      return unreachable(event);
  }
}

/** The voice server that the call is connected to, or connects to. */
export function serverOf({ phase }: VoiceCallState): VoiceCredentials | null {
  return phase.kind === 'linking' || phase.kind === 'linked' || phase.kind === 'resuming'
    ? phase.server
    : null;
}

function timeOut(state: VoiceCallState, exists: boolean): VoiceCallState {
  const { phase } = state;
  switch (phase.kind) {
    case 'pausing':
      return { ...state, isSeated: state.isSeated && !phase.isUnanswered, phase: { kind: 'asking' } };
    case 'asking':
    case 'moving':
      return tryAgain(state, { isUnanswered: true });
    case 'leaving':
      return end(state, exists ? 'disconnected' : 'channel_deleted');
    case 'linking':
    case 'linked':
    case 'resuming':
    case 'ended':
      return state;
    default:
      return unreachable(phase);
  }
}

function tryAgain(state: VoiceCallState, { heldMs = 0, isUnanswered = false } = {}): VoiceCallState {
  const attempts = heldMs >= STABLE_MS ? 0 : state.attempts;
  if (attempts >= REJOINS_MAX) return end(state, 'unreachable');
  return { ...state, attempts: attempts + 1, phase: { kind: 'pausing', isUnanswered } };
}

function place(state: VoiceCallState, where: 'here' | 'elsewhere' | 'nowhere'): VoiceCallState {
  if (where === 'here') return state.isSeated ? state : { ...state, isSeated: true };
  if (!state.isSeated || isOut(state)) return state;
  if (where === 'elsewhere') return end(state, 'moved');
  return { ...state, isSeated: false, phase: { kind: 'leaving', isOut: true } };
}

function connect(state: VoiceCallState, atMs: number): VoiceCallState {
  const { phase } = state;
  if (phase.kind !== 'linking' && phase.kind !== 'resuming') return state;
  const sinceMs = phase.kind === 'resuming' ? phase.sinceMs : atMs;
  return {
    ...state,
    connections: state.connections + 1,
    phase: { kind: 'linked', server: phase.server, sinceMs },
  };
}

function closeLink(state: VoiceCallState, verdict: CloseVerdict, atMs: number): VoiceCallState {
  const { phase } = state;
  if (serverOf(state) === null) return state;
  switch (verdict) {
    case 'rejoin':
      return tryAgain(state, { heldMs: 'sinceMs' in phase ? atMs - phase.sinceMs : 0 });
    case 'dismissed':
      return { ...state, phase: { kind: 'leaving', isOut: false } };
    case 'stay_away':
      return end(state, 'disconnected');
    case 'refused':
      return end(state, 'unreachable');
    default:
      return unreachable(verdict);
  }
}

function end(state: VoiceCallState, why: EndpointEnd): VoiceCallState {
  const mustLeave = state.isSeated || why === 'closed' || why === 'unreachable';
  return { ...state, phase: { kind: 'ended', why, mustLeave } };
}

/** The bot is out of the channel, so a voice server that is named now is not meant for it. */
function isOut({ phase }: VoiceCallState): boolean {
  return phase.kind === 'leaving' && phase.isOut;
}
