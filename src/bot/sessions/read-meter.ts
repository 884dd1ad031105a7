import type { PaidSessionState } from './paid-session-state.ts';

/** A reading of a session's meter, in milliseconds. */
export interface MeterReading {
  /**
   * Whole milliseconds from the first converted message until the end of the session, or until now while it runs; at
   * most the granted time.
   */
  readonly meteredMs: number;
  /** The time since the last converted message, or since connecting if none has arrived. */
  readonly quietMs: number;
  /** The time until this process closes the session at its limit; 0 once it is over. */
  readonly leftMs: number;
}

/** Reads a session's meter at a moment of the monotonic clock. The meter stops when the session ends. */
export function readMeter(state: PaidSessionState, nowMs: number): MeterReading {
  const isOver = state.kind === 'closing' || state.kind === 'ended';
  const run = isOver ? state.run : state;
  const readAtMs = isOver ? state.stoppedAtMs : nowMs;
  const { connectedAtMs, limitAtMs, grantedMs } = run.term;
  const billedMs = run.kind === 'metered' ? readAtMs - run.firstAtMs : 0;
  return {
    meteredMs: Math.round(Math.min(Math.max(billedMs, 0), grantedMs)),
    quietMs: readAtMs - (run.kind === 'metered' ? run.lastAtMs : connectedAtMs),
    leftMs: isOver ? 0 : Math.max(0, limitAtMs - nowMs),
  };
}
