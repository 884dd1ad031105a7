import { unreachable } from '../../../base/errors.ts';
import type { EndpointEnd } from '../../sessions/voice-swap/voice-endpoint.ts';
import type { CloseVerdict } from './judge-close.ts';
import type { VoiceCredentials } from './voice-seat.ts';

/**
 * The state of a voice call. Each entry into a phase creates a new phase object, even if the previous phase was of the
 * same kind.
 */
export interface VoiceCallState {
  readonly phase: CallPhase;
  /** Whether Discord shows the bot in the channel. */
  readonly isSeated: boolean;
  /** The number of consecutive attempts without a stable connection. */
  readonly attempts: number;
  /** The number of times the call was connected. */
  readonly connections: number;
}

export type CallPhase =
  /**
   * The bot is waiting before it requests a voice server. If `isUnanswered` is set, Discord did not answer the last
   * request.
   */
  | { readonly kind: 'pausing'; readonly isUnanswered: boolean }
  /** The bot has requested a voice server from the main gateway. */
  | { readonly kind: 'asking' }
  /** The voice server is gone, and the main gateway will name another one. */
  | { readonly kind: 'moving' }
  /** The bot is connecting to a voice server. */
  | { readonly kind: 'linking'; readonly server: VoiceCredentials }
  /** The bot has been connected since `sinceMs`, a time on the monotonic clock. */
  | { readonly kind: 'linked'; readonly server: VoiceCredentials; readonly sinceMs: number }
  /** The connection broke, and the bot is resuming it with the same voice server. */
  | { readonly kind: 'resuming'; readonly server: VoiceCredentials; readonly sinceMs: number }
  /**
   * The bot was disconnected. The main gateway will shortly report the reason, or name another voice server. If `isOut`
   * is set, the bot has left the channel, and a voice server named now is not for this call.
   */
  | { readonly kind: 'leaving'; readonly isOut: boolean }
  /** This phase is final. If `mustLeave` is set, Discord may still show the bot in the channel. */
  | { readonly kind: 'ended'; readonly why: EndpointEnd; readonly mustLeave: boolean };

export type VoiceCallEvent =
  /** The phase's time limit has passed. `exists` states whether the channel still exists. */
  | { readonly kind: 'timed_out'; readonly exists: boolean }
  /** The main gateway cannot receive requests now. */
  | { readonly kind: 'not_asked' }
  | { readonly kind: 'server_named'; readonly server: VoiceCredentials }
  | { readonly kind: 'server_gone' }
  /** The main gateway reports in which channel Discord shows the bot. */
  | { readonly kind: 'placed'; readonly where: 'here' | 'elsewhere' | 'nowhere' }
  /** The connection to the voice server could not be created. */
  | { readonly kind: 'link_failed' }
  | { readonly kind: 'link_ready'; readonly atMs: number }
  | { readonly kind: 'link_resuming' }
  | { readonly kind: 'link_closed'; readonly verdict: CloseVerdict; readonly atMs: number }
  /** The bot is leaving the channel, or its connection to Discord has ended. */
  | { readonly kind: 'ended'; readonly why: EndpointEnd };

/** The number of consecutive attempts before the bot gives up. */
export const REJOINS_MAX = 5;
/** A connection that lasts this long, in milliseconds, ends a series of attempts. */
export const STABLE_MS = 60_000;

/** The state before the first request for a voice server. */
export const START: VoiceCallState = {
  phase: { kind: 'pausing', isUnanswered: false },
  isSeated: false,
  attempts: 0,
  connections: 0,
};

/** Returns the next state; returns `state` itself if the event changes nothing. */
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

/** Returns the voice server of the current connection or connection attempt. */
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

/** Returns whether the bot has left the channel. If it has, a voice server named now is not for this call. */
function isOut({ phase }: VoiceCallState): boolean {
  return phase.kind === 'leaving' && phase.isOut;
}
