import { unreachable } from '../../../../base/errors.ts';
import type { VoiceLine } from '../../voice-line.ts';
import { GRANTED_TIME_USED, LINE_LOST, LOST_TOO_OFTEN, UNANSWERED } from './line-problem.ts';
import { STEADY_MS, retryDelayMs } from './retry-delay-ms.ts';
import type { CloseReason, LineEnd } from '../../line-end.ts';

/** The state of one participant. The paid lines and the requests in it are all that the participant has. */
export type ParticipantState = Unheard | Quiet | Connecting | Live | Waiting | Over | Left;

/** The data that the states without a line share. */
interface Idle {
  /** The voice of the next line; null: no change. */
  readonly voiceId: string | null;
  /** The server mutes the member, so that no line is opened. */
  readonly isSilenced: boolean;
  /** Failures in a row that the next one adds to. */
  readonly failures: number;
}

/** The bot does not listen to the member yet, because the session does not let it. */
interface Unheard extends Idle {
  readonly kind: 'unheard';
}

/** The bot listens only for whether the member speaks. */
interface Quiet extends Idle {
  readonly kind: 'quiet';
}

/** The first line was requested. */
interface Connecting {
  readonly kind: 'connecting';
  readonly request: LineRequest;
  readonly failures: number;
}

/** A paid line carries the member's speech. Times are monotonic. */
export interface Live {
  readonly kind: 'live';
  readonly held: HeldLine;
  readonly follower: Follower;
  readonly sinceMs: number;
  /** When the member spoke last. */
  readonly heardAtMs: number;
  /** Since when the member speaks without a pause. */
  readonly spokenSinceMs: number;
  readonly failures: number;
}

/** The line was refused or lost; another one is requested when the member speaks after `againAtMs` (epoch). */
interface Waiting extends Idle {
  readonly kind: 'waiting';
  readonly problem: string;
  readonly againAtMs: number;
}

/** Nothing is tried again until the member asks for it, so the bot does not listen to them. */
interface Over {
  readonly kind: 'over';
  readonly voiceId: string | null;
  readonly isSilenced: boolean;
  readonly problem: string;
}

/** The participant is no longer in the session. This state is final. */
interface Left {
  readonly kind: 'left';
  readonly voiceId: string | null;
}

/** A request for a line. Requests are compared by identity, because two may name the same voice. */
export interface LineRequest {
  readonly voiceId: string | null;
}

/** An open line. It is paid for until it is closed, at `endsAtMs` (monotonic) at the latest. */
interface HeldLine {
  readonly line: VoiceLine;
  readonly voiceId: string | null;
  readonly endsAtMs: number;
}

/** The line that follows the current one. It is requested early, so that it is connected when it must take over. */
type Follower =
  | { readonly kind: 'none' }
  /** `isUrgent`: it has another voice, so it takes over as soon as it is open. */
  | { readonly kind: 'requested'; readonly request: LineRequest; readonly isUrgent: boolean }
  | { readonly kind: 'ready'; readonly held: HeldLine }
  | { readonly kind: 'refused'; readonly problem: string };

/** When something happened, by both clocks. */
export interface Moment {
  /** Epoch milliseconds, which members see. */
  readonly nowMs: number;
  readonly monotonicMs: number;
}

/** The events of a participant. `isOpen` says whether the session lets paid lines be open. */
export type ParticipantEvent =
  /** The member asks to be heard with this voice. */
  | { readonly kind: 'asked'; readonly voiceId: string | null; readonly isOpen: boolean }
  /** The session lets members be heard, for the first time or again. */
  | { readonly kind: 'resumed' }
  /** The member speaks. */
  | { readonly kind: 'heard'; readonly isOpen: boolean; readonly at: Moment }
  /** The server mutes the member, or no longer does. */
  | { readonly kind: 'silenced'; readonly isSilenced: boolean }
  /** The lines must be closed for now. */
  | { readonly kind: 'rested'; readonly reason: CloseReason }
  /** The member leaves the session. */
  | { readonly kind: 'left'; readonly reason: CloseReason }
  | { readonly kind: 'opened'; readonly request: LineRequest; readonly held: HeldLine; readonly at: Moment }
  | ({ readonly kind: 'refused'; readonly request: LineRequest; readonly at: Moment } & Refusal)
  /** A line ended, by us or by the service. */
  | { readonly kind: 'ended'; readonly line: VoiceLine; readonly end: LineEnd; readonly at: Moment }
  /** Nothing comes back while the member speaks. */
  | { readonly kind: 'unanswered'; readonly at: Moment }
  /** The line ends soon, and another one may follow it. */
  | { readonly kind: 'renewal_due' }
  /** The line is about to end, and the next one is ready. */
  | { readonly kind: 'switch_due'; readonly at: Moment };

interface Refusal {
  readonly problem: string;
  /** Another try does not help. */
  readonly isLasting: boolean;
}

type Event<Kind extends ParticipantEvent['kind']> = Extract<ParticipantEvent, { kind: Kind }>;
/** A state that can be left. */
type Present = Exclude<ParticipantState, Left>;

/** A pause of speech that is longer than this ends a stretch of it. Speech is reported several times a second. */
export const PAUSE_MS = 2_000;
const NO_FOLLOWER: Follower = { kind: 'none' };

/** A participant who has just been admitted. */
export function unheard(voiceId: string | null): ParticipantState {
  return { kind: 'unheard', voiceId, isSilenced: false, failures: 0 };
}

/** The state after the event; the same object when the event changes nothing. */
export function next(state: ParticipantState, event: ParticipantEvent): ParticipantState {
  if (state.kind === 'left') return state;
  switch (event.kind) {
    case 'asked':
      return ask(state, event);
    case 'resumed':
      return state.kind === 'unheard' || state.kind === 'quiet' ? connect(state) : state;
    case 'heard':
      return hear(state, event);
    case 'silenced':
      return silence(state, event.isSilenced);
    case 'rested':
      return state.kind === 'connecting' || state.kind === 'live' ? quietAfter(state, false) : state;
    case 'left':
      return { kind: 'left', voiceId: voiceOf(state) };
    case 'opened':
      return opened(state, event);
    case 'refused':
      return refused(state, event);
    case 'ended':
      return state.kind === 'live' ? ended(state, event) : state;
    case 'unanswered':
      return state.kind === 'live' ? lost(state, UNANSWERED, event.at) : state;
    case 'renewal_due':
      return state.kind === 'live' && state.follower.kind === 'none' ? follow(state, voiceOf(state)) : state;
    case 'switch_due':
      return state.kind === 'live' && state.follower.kind === 'ready'
        ? switchTo(state, state.follower.held, event.at)
        : state;
    default:
      return unreachable(event);
  }
}

/** The voice that the member has chosen; null: no change. */
export function voiceOf(state: ParticipantState): string | null {
  switch (state.kind) {
    case 'connecting':
      return state.request.voiceId;
    case 'live':
      return (requestOf(state) ?? state.held).voiceId;
    case 'unheard':
    case 'quiet':
    case 'waiting':
    case 'over':
    case 'left':
      return state.voiceId;
    default:
      return unreachable(state);
  }
}

/** The request that waits for its line, if there is one. */
export function requestOf(state: ParticipantState): LineRequest | null {
  if (state.kind === 'connecting') return state.request;
  return state.kind === 'live' && state.follower.kind === 'requested' ? state.follower.request : null;
}

/** The open lines: the current one, and the one that is ready to follow it. */
export function linesOf(state: ParticipantState): readonly VoiceLine[] {
  if (state.kind !== 'live') return [];
  const { held, follower } = state;
  return follower.kind === 'ready' ? [held.line, follower.held.line] : [held.line];
}

function ask(state: Present, { voiceId, isOpen }: Event<'asked'>): ParticipantState {
  if (state.kind === 'live') {
    return voiceId === voiceOf(state)
      ? state
      : { ...state, follower: { kind: 'requested', request: { voiceId }, isUrgent: true } };
  }
  const isSilenced = state.kind !== 'connecting' && state.isSilenced;
  const idle: Idle = { voiceId, isSilenced, failures: 0 };
  if (isOpen) return connect(idle);
  const isHeard = state.kind !== 'unheard' && state.kind !== 'over';
  return { kind: isHeard ? 'quiet' : 'unheard', ...idle };
}

/** Requests a line at once, so that the first word is not lost; a muted member cannot be heard. */
function connect({ voiceId, isSilenced, failures }: Idle): ParticipantState {
  if (isSilenced) return { kind: 'quiet', voiceId, isSilenced, failures };
  return { kind: 'connecting', request: { voiceId }, failures };
}

function hear(state: Present, { isOpen, at }: Event<'heard'>): ParticipantState {
  if (state.kind === 'live') {
    const { monotonicMs } = at;
    const isNewStretch = monotonicMs - state.heardAtMs > PAUSE_MS;
    return {
      ...state,
      heardAtMs: monotonicMs,
      spokenSinceMs: isNewStretch ? monotonicMs : state.spokenSinceMs,
    };
  }
  const isDue = state.kind === 'quiet' || (state.kind === 'waiting' && at.nowMs >= state.againAtMs);
  return isDue && isOpen && !state.isSilenced ? connect(state) : state;
}

function silence(state: Present, isSilenced: boolean): ParticipantState {
  if (state.kind !== 'connecting' && state.kind !== 'live') {
    return state.isSilenced === isSilenced ? state : { ...state, isSilenced };
  }
  return isSilenced ? quietAfter(state, true) : state;
}

function quietAfter(state: Connecting | Live, isSilenced: boolean): ParticipantState {
  return { kind: 'quiet', voiceId: voiceOf(state), isSilenced, failures: state.failures };
}

function opened(state: Present, { request, held, at }: Event<'opened'>): ParticipantState {
  if (requestOf(state) !== request) return state;
  if (state.kind === 'connecting') {
    const { monotonicMs: sinceMs } = at;
    const times = { sinceMs, heardAtMs: sinceMs, spokenSinceMs: sinceMs };
    return { kind: 'live', held, follower: NO_FOLLOWER, ...times, failures: state.failures };
  }
  if (state.kind !== 'live' || state.follower.kind !== 'requested') return state;
  return state.follower.isUrgent
    ? switchTo(state, held, at)
    : { ...state, follower: { kind: 'ready', held } };
}

function refused(state: Present, { request, problem, isLasting, at }: Event<'refused'>): ParticipantState {
  if (requestOf(state) !== request) return state;
  if (state.kind === 'live') return { ...state, follower: { kind: 'refused', problem } };
  if (state.kind !== 'connecting') return state;
  return isLasting ? over(state, problem) : retryLater(state, problem, at);
}

function ended(state: Live, { line, end, at }: Event<'ended'>): ParticipantState {
  const { follower } = state;
  if (state.held.line !== line) {
    const wasFollower = follower.kind === 'ready' && follower.held.line === line;
    return wasFollower ? { ...state, follower: NO_FOLLOWER } : state;
  }
  if (follower.kind === 'ready') return switchTo(state, follower.held, at);
  switch (end.kind) {
    case 'closed':
      return quietAfter(state, false);
    case 'granted':
      return over(state, follower.kind === 'refused' ? follower.problem : GRANTED_TIME_USED);
    case 'lost':
      return lost(state, LINE_LOST, at);
    default:
      return unreachable(end);
  }
}

function follow(state: Live, voiceId: string | null): ParticipantState {
  return { ...state, follower: { kind: 'requested', request: { voiceId }, isUrgent: false } };
}

function switchTo(state: Live, held: HeldLine, { monotonicMs }: Moment): ParticipantState {
  return { ...state, held, follower: NO_FOLLOWER, sinceMs: monotonicMs, spokenSinceMs: monotonicMs };
}

/** A line that held for some time ends a series of failures. */
function lost(state: Live, problem: string, at: Moment): ParticipantState {
  const isSteady = at.monotonicMs - state.sinceMs >= STEADY_MS;
  return retryLater(isSteady ? { ...state, failures: 0 } : state, problem, at);
}

function retryLater(state: Connecting | Live, problem: string, { nowMs }: Moment): ParticipantState {
  const failures = state.failures + 1;
  const delayMs = retryDelayMs(failures);
  if (delayMs === null) return over(state, LOST_TOO_OFTEN);
  const voiceId = voiceOf(state);
  return { kind: 'waiting', voiceId, isSilenced: false, failures, problem, againAtMs: nowMs + delayMs };
}

function over(state: Connecting | Live, problem: string): ParticipantState {
  return { kind: 'over', voiceId: voiceOf(state), isSilenced: false, problem };
}
