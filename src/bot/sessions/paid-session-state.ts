import type { EndReason } from './end-reason.ts';
import type { LineEnd } from './line-end.ts';

/** When the bot connected to a session, and how long it may last. Times are in milliseconds of the monotonic clock. */
interface SessionTerm {
  /** A service counts the granted time from this moment or from an earlier moment. */
  readonly connectedAtMs: number;
  /** When this process closes the session, which is shortly before the granted time ends. */
  readonly limitAtMs: number;
  readonly grantedMs: number;
}

/** The session is connected, but the service has not returned anything converted yet; nothing is billed. */
interface Quiet {
  readonly kind: 'quiet';
  readonly term: SessionTerm;
}

/** The session is billed, starting with the first converted message. */
interface Metered {
  readonly kind: 'metered';
  readonly term: SessionTerm;
  readonly firstAtMs: number;
  readonly lastAtMs: number;
}

type Running = Quiet | Metered;

/** Why a session ended, and when its meter stopped. */
interface Stopped {
  readonly run: Running;
  readonly stoppedAtMs: number;
  /** The end as reported to the session's caller. */
  readonly end: LineEnd;
  /** The end as the books record it. */
  readonly reason: EndReason;
}

/** The states of a paid session. `closing` lasts until the socket is gone; `ended` is final. */
export type PaidSessionState =
  | Running
  | ({ readonly kind: 'closing' } & Stopped)
  /** `code` is the socket's close code. */
  | ({ readonly kind: 'ended'; readonly code: number } & Stopped);

export type PaidSessionEvent =
  /** The service sent something that it converted. */
  | { readonly kind: 'converted'; readonly atMs: number }
  /** This process closes the session. */
  | { readonly kind: 'close'; readonly end: LineEnd; readonly reason: EndReason; readonly atMs: number }
  /** The socket is gone. */
  | { readonly kind: 'disconnected'; readonly code: number; readonly atMs: number };

/**
 * A session that the service ends this close to the limit counts as having reached the limit, because both sides
 * enforce it.
 */
const LIMIT_TOLERANCE_MS = 2_000;

/** Returns the next state, which is the same object if the event changes nothing. */
export function next(state: PaidSessionState, event: PaidSessionEvent): PaidSessionState {
  switch (state.kind) {
    case 'quiet':
    case 'metered':
      return nextOfRunning(state, event);
    case 'closing':
      return event.kind === 'disconnected' ? { ...state, kind: 'ended', code: event.code } : state;
    case 'ended':
      return state;
    default:
      return state satisfies never;
  }
}

function nextOfRunning(run: Running, event: PaidSessionEvent): PaidSessionState {
  const { atMs } = event;
  switch (event.kind) {
    case 'converted': {
      const firstAtMs = run.kind === 'metered' ? run.firstAtMs : atMs;
      return { kind: 'metered', term: run.term, firstAtMs, lastAtMs: atMs };
    }
    case 'close':
      return { kind: 'closing', run, stoppedAtMs: atMs, end: event.end, reason: event.reason };
    case 'disconnected': {
      const isAtLimit = run.term.limitAtMs - atMs <= LIMIT_TOLERANCE_MS;
      const end: LineEnd = isAtLimit ? { kind: 'granted' } : { kind: 'lost', code: event.code };
      return { kind: 'ended', code: event.code, run, stoppedAtMs: atMs, end, reason: end.kind };
    }
    default:
      return event satisfies never;
  }
}
