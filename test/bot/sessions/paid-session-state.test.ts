import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  type PaidSessionEvent,
  type PaidSessionState,
  next,
} from '../../../src/bot/sessions/paid-session-state.ts';
import { readMeter } from '../../../src/bot/sessions/read-meter.ts';

const GRANTED_MS = 60_000;
const CONNECTED_AT_MS = 1_000;
const START: PaidSessionState = {
  kind: 'quiet',
  term: { connectedAtMs: CONNECTED_AT_MS, limitAtMs: 60_000, grantedMs: GRANTED_MS },
};

/** Creates an event that happens at a given time. */
type Make = (atMs: number) => PaidSessionEvent;

const makes: fc.Arbitrary<Make> = fc.oneof(
  fc.constant<Make>((atMs) => ({ kind: 'converted', atMs })),
  fc.constantFrom('stopped', 'left', 'shutdown').map((reason): Make => (atMs) => ({
    kind: 'close',
    end: { kind: 'closed', reason },
    reason,
    atMs,
  })),
  fc.constant<Make>((atMs) => ({ kind: 'close', end: { kind: 'granted' }, reason: 'granted', atMs })),
  fc.integer({ min: 1000, max: 4999 }).map((code): Make => (atMs) => ({ kind: 'disconnected', code, atMs })),
);
const steps = fc.array(fc.tuple(makes, fc.nat(20_000)), { maxLength: 30 });

interface Moment {
  readonly before: PaidSessionState;
  readonly event: PaidSessionEvent;
  readonly state: PaidSessionState;
  readonly atMs: number;
}

/** Applies the events in order, and returns each event with the states before and after it. */
function play(chosen: readonly (readonly [Make, number])[]): readonly Moment[] {
  const moments: Moment[] = [];
  let [state, atMs] = [START, CONNECTED_AT_MS];
  for (const [make, afterMs] of chosen) {
    atMs += afterMs;
    const event = make(atMs);
    const before = state;
    state = next(before, event);
    moments.push({ before, event, state, atMs });
  }
  return moments;
}

const ORDER = ['quiet', 'metered', 'closing', 'ended'] as const;

function always(holds: (moment: Moment, all: readonly Moment[]) => void): void {
  fc.assert(
    fc.property(steps, (chosen) => {
      const moments = play(chosen);
      for (const moment of moments) holds(moment, moments);
    }),
    { numRuns: 500 },
  );
}

test('an event never changes a session that has ended', () => {
  always(({ before, state }) => {
    if (before.kind === 'ended') expect(state).toBe(before);
  });
});

test('a session never returns to an earlier state', () => {
  always(({ before, state }) => {
    expect(ORDER.indexOf(state.kind)).toBeGreaterThanOrEqual(ORDER.indexOf(before.kind));
  });
});

test('the meter runs only from the first converted message to the close', () => {
  always(({ atMs }, moments) => {
    const past = moments.filter((one) => one.atMs <= atMs);
    const state = past.at(-1)?.state ?? START;
    const first = past.find(({ event, before }) => event.kind === 'converted' && before.kind === 'quiet');
    const stop = past.find(({ before, state: after }) => isRunning(before) && !isRunning(after));
    const ranMs = first ? (stop?.atMs ?? atMs + 500) - first.atMs : 0;
    expect(readMeter(state, atMs + 500).meteredMs).toBe(Math.min(GRANTED_MS, ranMs));
  });
});

test('the meter stands still once the session is over, and no time is left', () => {
  always(({ state, atMs }) => {
    if (isRunning(state)) return;
    expect(readMeter(state, atMs + 90_000)).toEqual(readMeter(state, atMs));
    expect(readMeter(state, atMs).leftMs).toBe(0);
  });
});

test('the first reason to close a session is the one that counts', () => {
  always(({ state }, moments) => {
    if (state.kind !== 'ended') return;
    const first = moments.find(({ event }) => event.kind !== 'converted')?.event;
    if (first?.kind === 'close') expect(state).toMatchObject({ end: first.end, reason: first.reason });
    else expect(state.reason).toBe(state.end.kind);
  });
});

test('a session that is cut off near its limit has used up its time, and is lost otherwise', () => {
  const cutAt = (atMs: number): PaidSessionState => next(START, { kind: 'disconnected', code: 1006, atMs });
  expect(cutAt(57_999)).toMatchObject({ kind: 'ended', end: { kind: 'lost', code: 1006 }, reason: 'lost' });
  expect(cutAt(58_000)).toMatchObject({ kind: 'ended', end: { kind: 'granted' }, reason: 'granted' });
});

function isRunning({ kind }: PaidSessionState): boolean {
  return kind === 'quiet' || kind === 'metered';
}
