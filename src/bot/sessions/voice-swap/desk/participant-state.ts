import { unreachable } from '../../../../base/errors.ts';
import type { VoiceLine } from '../../voice-line.ts';
import { GRANTED_TIME_USED, LINE_LOST, LOST_TOO_OFTEN, UNANSWERED } from './line-problem.ts';
import { STEADY_MS, retryDelayMs } from './retry-delay-ms.ts';
import type { CloseReason, LineEnd } from '../../line-end.ts';

/** A participant's state. It contains all of the participant's paid lines and requests. */
export type ParticipantState = Unheard | Quiet | Connecting | Live | Waiting | Over | Left;

/** The data shared by the states without a line. */
interface Idle {
  /** The voice for the next line; null leaves the voice unchanged. */
  readonly voiceId: string | null;
  /** Whether the member is muted by the server, so that no line is opened. */
  readonly isSilenced: boolean;
  /** The number of consecutive failures so far. */
  readonly failures: number;
}

/** The bot does not listen to the member yet, because the session does not allow it. */
interface Unheard extends Idle {
  readonly kind: 'unheard';
}

/** The bot only detects whether the member is speaking. */
interface Quiet extends Idle {
  readonly kind: 'quiet';
}

/** The first line has been requested. */
interface Connecting {
  readonly kind: 'connecting';
  readonly request: LineRequest;
  readonly failures: number;
}

/** A paid line carries the member's speech. Times are on the monotonic clock. */
export interface Live {
  readonly kind: 'live';
  readonly held: HeldLine;
  readonly follower: Follower;
  readonly sinceMs: number;
  /** When the member last spoke. */
  readonly heardAtMs: number;
  /** When the member's current stretch of speech began. */
  readonly spokenSinceMs: number;
  readonly failures: number;
}

/**
 * The line was refused or lost. Another line is requested if the member speaks after `againAtMs` (epoch milliseconds).
 */
interface Waiting extends Idle {
  readonly kind: 'waiting';
  readonly problem: string;
  readonly againAtMs: number;
}

/** No further attempt is made until the member asks for one, so the bot does not listen to them. */
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

/** An open line. It costs money until it is closed, which is at `endsAtMs` (monotonic) at the latest. */
interface HeldLine {
  readonly line: VoiceLine;
  readonly voiceId: string | null;
  readonly endsAtMs: number;
}

/**
 * The line that follows the current one. It is requested early, so that it is connected by the time it must take over.
 */
type Follower =
  | { readonly kind: 'none' }
  /** If `isUrgent` is set, the line has another voice and takes over as soon as it is open. */
  | { readonly kind: 'requested'; readonly request: LineRequest; readonly isUrgent: boolean }
  | { readonly kind: 'ready'; readonly held: HeldLine }
  | { readonly kind: 'refused'; readonly problem: string };

/** The time of an event on both clocks. */
export interface Moment {
  /** Epoch milliseconds, for times that members see. */
  readonly nowMs: number;
  readonly monotonicMs: number;
}

/** A participant's events. `isOpen` says whether the session allows paid lines. */
export type ParticipantEvent =
  /** The member requests conversion to this voice. */
  | { readonly kind: 'asked'; readonly voiceId: string | null; readonly isOpen: boolean }
  /** The session now allows the bot to listen to members, for the first time or again. */
  | { readonly kind: 'resumed' }
  /** The member is speaking. */
  | { readonly kind: 'heard'; readonly isOpen: boolean; readonly at: Moment }
  /** The server mutes or unmutes the member. */
  | { readonly kind: 'silenced'; readonly isSilenced: boolean }
  /** The lines must be closed for now. */
  | { readonly kind: 'rested'; readonly reason: CloseReason }
  /** The member leaves the session. */
  | { readonly kind: 'left'; readonly reason: CloseReason }
  | { readonly kind: 'opened'; readonly request: LineRequest; readonly held: HeldLine; readonly at: Moment }
  | ({ readonly kind: 'refused'; readonly request: LineRequest; readonly at: Moment } & Refusal)
  /** A line has ended, for any reason. */
  | { readonly kind: 'ended'; readonly line: VoiceLine; readonly end: LineEnd; readonly at: Moment }
  /** The service returns nothing although the member is speaking. */
  | { readonly kind: 'unanswered'; readonly at: Moment }
  /** The line will end soon, and another line may follow it. */
  | { readonly kind: 'renewal_due' }
  /** The line is about to end, and the next line is ready. */
  | { readonly kind: 'switch_due'; readonly at: Moment };

interface Refusal {
  readonly problem: string;
  /** Whether another attempt is useless. */
  readonly isLasting: boolean;
}

type Event<Kind extends ParticipantEvent['kind']> = Extract<ParticipantEvent, { kind: Kind }>;
/** All states except the final one. */
type Present = Exclude<ParticipantState, Left>;

/** A pause longer than this ends a stretch of speech. Speech is reported several times a second. */
export const PAUSE_MS = 2_000;
const NO_FOLLOWER: Follower = { kind: 'none' };

/** Returns the state of a newly admitted participant. */
export function unheard(voiceId: string | null): ParticipantState {
  return { kind: 'unheard', voiceId, isSilenced: false, failures: 0 };
}

/** Returns the next state, which is the same object if the event changes nothing. */
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

/** Returns the voice that the member has chosen; null if the voice stays unchanged. */
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

/** Returns the pending line request; null if there is none. */
export function requestOf(state: ParticipantState): LineRequest | null {
  if (state.kind === 'connecting') return state.request;
  return state.kind === 'live' && state.follower.kind === 'requested' ? state.follower.request : null;
}

/** Returns the open lines: the current one, and the one that is ready to follow it. */
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

/** Requests a line at once, so that the first word is not lost. A muted member gets none. */
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

/** If the line was open for long enough, earlier failures no longer count. */
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
