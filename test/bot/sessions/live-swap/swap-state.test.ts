import fc from 'fast-check';
import { expect, test } from 'vitest';
import { micros } from '../../../../src/base/money.ts';
import type { LiveSwapEnd } from '../../../../src/bot/sessions/live-swap/live-swap-end.ts';
import {
  type SwapEvent,
  type SwapState,
  next,
} from '../../../../src/bot/sessions/live-swap/session/swap-state.ts';

/** The state machine only passes the line on, so a string can stand for it. */
type State = SwapState<string>;
type Event = SwapEvent<string>;

const START: State = { kind: 'waiting', isEntered: false, untilMs: 100_000 };
const ENDS: readonly LiveSwapEnd[] = [
  'stopped',
  'not_allowed',
  'consent_gone',
  'shutdown',
  'lost',
  'granted',
];
const time = fc.nat(200_000);

const events: fc.Arbitrary<Event> = fc.oneof(
  time.map((untilMs): Event => ({ kind: 'entered', untilMs })),
  fc.nat().map((): Event => ({ kind: 'started', opening: new AbortController() })),
  fc.constant<Event>({ kind: 'failed' }),
  time.map((nowMs): Event => ({ kind: 'opened', line: 'line', nowMs })),
  fc.constant<Event>({ kind: 'page_left' }),
  time.map((nowMs): Event => ({ kind: 'time_passed', nowMs })),
  fc
    .tuple(time, time, fc.constantFrom(null, null, null, 'silent' as const, 'lost' as const))
    .map(([nowMs, leftMs, problem]): Event => ({
      kind: 'line_checked',
      nowMs,
      leftMs,
      problem,
      recheckMs: 5_000,
    })),
  fc.constantFrom(...ENDS).map((why): Event => ({ kind: 'end', why })),
  fc.nat(2).map((meteredMs): Event => ({ kind: 'closed', meteredMs })),
  fc
    .option(fc.nat(9_000))
    .map((cost): Event => ({ kind: 'charged', charged: cost === null ? null : micros(cost) })),
  fc.constant<Event>({ kind: 'shutdown' }),
);

interface Moment {
  readonly before: State;
  readonly event: Event;
  readonly state: State;
}

/** Applies the events in order, and returns each event with the states before and after it. */
function play(chosen: readonly Event[]): readonly Moment[] {
  const moments: Moment[] = [];
  let state = START;
  for (const event of chosen) {
    const before = state;
    state = next(before, event);
    moments.push({ before, event, state });
  }
  return moments;
}

function always(holds: (moment: Moment, all: readonly Moment[]) => void): void {
  fc.assert(
    fc.property(fc.array(events, { maxLength: 40 }), (chosen) => {
      const moments = play(chosen);
      for (const moment of moments) holds(moment, moments);
    }),
    { numRuns: 1_000 },
  );
}

const hasEnded = ({ kind }: State): boolean => kind === 'closing' || kind === 'settling' || kind === 'over';

/** Returns the number of times that a state was entered. */
function entered(moments: readonly Moment[], kind: State['kind']): number {
  return moments.filter(({ before, state }) => state.kind === kind && before.kind !== kind).length;
}

test('an event never changes a session that is over', () => {
  always(({ before, state }) => {
    if (before.kind === 'over') expect(state).toBe(before);
  });
});

test('a session that has ended never starts again, and keeps the first reason', () => {
  always(({ before, state }) => {
    if (!('why' in before)) return;
    expect(hasEnded(state)).toBe(true);
    expect(state).toMatchObject({ why: before.why });
  });
});

test('a session is opened, closed and settled at most once', () => {
  always((_, moments) => {
    for (const kind of ['open', 'closing', 'settling', 'over'] as const) {
      expect(entered(moments, kind)).toBeLessThanOrEqual(1);
    }
  });
});

test('a line that was opened is kept until the end, so that it is closed and its charge is awaited', () => {
  always(({ state }, moments) => {
    const last = moments.at(-1)?.state ?? state;
    if (entered(moments, 'open') > 0) expect(last).toMatchObject({ line: 'line' });
    else if ('line' in last) expect(last.line).toBeNull();
  });
});

test('a session ends only through the state in which its socket closes', () => {
  always(({ before, state }) => {
    if (hasEnded(state) && !hasEnded(before)) expect(state.kind).toBe('closing');
  });
});

test('a session that converted nothing, or was never open, costs nothing', () => {
  always(({ before, event, state }) => {
    if (before.kind !== 'closing' || event.kind !== 'closed') return;
    if (event.meteredMs === 0 || before.line === null)
      expect(state).toMatchObject({ kind: 'over', charged: 0 });
    else if (before.why === 'shutdown') expect(state).toMatchObject({ kind: 'over', charged: null });
    else expect(state.kind).toBe('settling');
  });
});

test('a session that may cost money ends with its page, and a failed start can be repeated', () => {
  always(({ before, event, state }) => {
    if (event.kind === 'page_left' && before.kind === 'waiting') expect(state).toBe(before);
    if (event.kind === 'page_left' && (before.kind === 'connecting' || before.kind === 'open')) {
      expect(state).toMatchObject({ kind: 'closing', why: 'closed' });
    }
    if (event.kind === 'failed' && before.kind === 'connecting') expect(state).toBe(before.before);
  });
});

test('a member is warned once, and a check follows at most every five seconds', () => {
  always(({ before, event, state }) => {
    if (before.kind !== 'open' || state.kind !== 'open' || event.kind !== 'line_checked') return;
    expect(state.isWarned).toBe(before.isWarned || event.leftMs <= 60_000);
    const isDue = event.nowMs - before.checkedAtMs >= 5_000;
    expect(state.checkedAtMs).toBe(isDue ? event.nowMs : before.checkedAtMs);
  });
});

test('a link that nobody starts in time expires, and no other state does', () => {
  always(({ before, event, state }) => {
    if (event.kind !== 'time_passed') return;
    const isLate = before.kind === 'waiting' && event.nowMs >= before.untilMs;
    if (isLate) expect(state).toMatchObject({ kind: 'closing', why: 'expired' });
    else expect(state).toBe(before);
  });
});
