import fc from 'fast-check';
import { expect, test } from 'vitest';
import { micros } from '../../../../src/base/money.ts';
import {
  type LineRequest,
  type ParticipantEvent,
  type ParticipantState,
  linesOf,
  next,
  requestOf,
  unheard,
  voiceOf,
} from '../../../../src/bot/sessions/voice-swap/desk/participant-state.ts';
import { shownState } from '../../../../src/bot/sessions/voice-swap/desk/shown-state.ts';
import type { CloseReason, LineEnd } from '../../../../src/bot/sessions/line-end.ts';
import type { VoiceLine } from '../../../../src/bot/sessions/voice-line.ts';

const LINE_MS = 60_000;

function aLine(): VoiceLine {
  return {
    id: 'line',
    sampleRateHz: 48_000,
    chunkFrames: 960,
    send: () => true,
    onConverted: () => undefined,
    onEnd: () => undefined,
    standing: { meteredMs: 0, quietMs: 0, leftMs: LINE_MS, estimate: micros(0), held: micros(0) },
    close: () => Promise.resolve(),
  };
}

/**
 * A step of a random course: either an event, or something that becomes an event depending on the state at that point.
 */
type Step =
  | Extract<ParticipantEvent, { kind: 'asked' | 'resumed' | 'silenced' | 'rested' | 'left' | 'renewal_due' }>
  | { readonly kind: 'heard'; readonly isOpen: boolean }
  | { readonly kind: 'unanswered' | 'switch_due' }
  /** `isLate` marks the response to a request that had already been given up. */
  | { readonly kind: 'opened'; readonly isLate: boolean }
  | { readonly kind: 'refused'; readonly isLate: boolean; readonly isLasting: boolean }
  | { readonly kind: 'ended'; readonly index: number; readonly end: LineEnd };

const isOpen = fc.boolean();
const isLate = fc.integer({ min: 0, max: 9 }).map((n) => n === 0);
const reason = fc.constantFrom<CloseReason>('idle', 'channel_lost', 'opted_out');
const end = fc.constantFrom<LineEnd>(
  { kind: 'granted' },
  { kind: 'lost', code: 1006 },
  { kind: 'closed', reason: 'shutdown' },
);
const steps: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constant('asked'), voiceId: fc.constantFrom('nova', 'oak', null), isOpen }),
  fc.record({ kind: fc.constant('heard'), isOpen }),
  fc.record({ kind: fc.constant('silenced'), isSilenced: fc.boolean() }),
  fc.record({ kind: fc.constant('rested'), reason }),
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('opened'), isLate }) },
  fc.record({ kind: fc.constant('refused'), isLate, isLasting: fc.boolean() }),
  fc.record({ kind: fc.constant('ended'), index: fc.nat(1), end }),
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constantFrom('resumed', 'unanswered', 'renewal_due', 'switch_due') }),
  },
);

interface TimedStep {
  readonly step: Step;
  readonly passedMs: number;
}

const courses = fc.array(fc.record({ step: steps, passedMs: fc.nat(40_000) }), { maxLength: 60 });
const leaving: TimedStep = { step: { kind: 'left', reason: 'opted_out' }, passedMs: 0 };

interface Passage {
  readonly before: ParticipantState;
  readonly event: ParticipantEvent;
  readonly after: ParticipantState;
}

/** Applies the steps to the initial state, and returns every transition. */
function passagesOf(course: readonly TimedStep[]): readonly Passage[] {
  const passages: Passage[] = [];
  let before = unheard('nova');
  let monotonicMs = 0;
  for (const { step, passedMs } of course) {
    monotonicMs += passedMs;
    const event = eventOf(step, before, monotonicMs);
    const after = Object.freeze(next(before, event));
    passages.push({ before, event, after });
    before = after;
  }
  return passages;
}

function eventOf(step: Step, state: ParticipantState, monotonicMs: number): ParticipantEvent {
  const at = { nowMs: 1_000_000 + monotonicMs, monotonicMs };
  const pending = requestOf(state);
  const requestFor = (wasGivenUp: boolean): LineRequest =>
    wasGivenUp || !pending ? { voiceId: 'nova' } : pending;
  switch (step.kind) {
    case 'heard':
    case 'unanswered':
    case 'switch_due':
      return { ...step, at };
    case 'opened': {
      const request = requestFor(step.isLate);
      const held = { line: aLine(), voiceId: request.voiceId, endsAtMs: monotonicMs + LINE_MS };
      return { kind: 'opened', request, held, at };
    }
    case 'refused': {
      const problem = 'The service is full.';
      return { kind: 'refused', request: requestFor(step.isLate), problem, isLasting: step.isLasting, at };
    }
    case 'ended':
      return { kind: 'ended', line: linesOf(state)[step.index] ?? aLine(), end: step.end, at };
    case 'asked':
    case 'resumed':
    case 'silenced':
    case 'rested':
    case 'left':
    case 'renewal_due':
      return step;
    default:
      return step satisfies never;
  }
}

/** Runs `check` on every transition of every course. */
function expectAlways(check: (passage: Passage) => void): void {
  fc.assert(fc.property(courses, (course) => passagesOf(course).forEach(check)));
}

test('reaches every state', () => {
  const kinds = fc
    .sample(courses, { numRuns: 300, seed: 1 })
    .flatMap((course) => passagesOf([...course, leaving]).map(({ after }) => after.kind));

  expect([...new Set(kinds)].toSorted()).toEqual(
    ['connecting', 'left', 'live', 'over', 'quiet', 'unheard', 'waiting'].toSorted(),
  );
});

test('stays left, without a line or a request, whatever event follows', () => {
  fc.assert(
    fc.property(courses, courses, (before, later) => {
      const after = passagesOf([...before, leaving, ...later]).slice(before.length);
      for (const { after: state } of after) {
        expect(state).toBe(after[0]?.after);
        expect([state.kind, requestOf(state), linesOf(state)]).toEqual(['left', null, []]);
      }
    }),
  );
});

test('receives a line only as the answer to its own request, and never a line that it gave up', () => {
  expectAlways(({ before, event, after }) => {
    const known = linesOf(before);
    const added = linesOf(after).filter((line) => !known.includes(line));
    const isAnswer = event.kind === 'opened' && event.request === requestOf(before);
    expect(added).toEqual(isAnswer ? [event.held.line] : []);
  });
});

test('answers every request at most once', () => {
  expectAlways(({ before, event, after }) => {
    const isAnswer = event.kind === 'opened' || event.kind === 'refused';
    if (isAnswer && event.request === requestOf(before)) expect(requestOf(after)).toBeNull();
  });
});

test('has neither a line nor a request while the server mutes the member', () => {
  fc.assert(
    fc.property(courses, (course) => {
      let isMuted = false;
      for (const { event, after } of passagesOf(course)) {
        if (event.kind === 'silenced') isMuted = event.isSilenced;
        if (!isMuted) continue;
        expect([requestOf(after), linesOf(after)]).toEqual([null, []]);
        expect(['silenced', 'over']).toContain(shownState(after, 0).kind);
      }
    }),
  );
});

test('requests the first line only when the session is open', () => {
  expectAlways(({ before, event, after }) => {
    if (after.kind !== 'connecting' || after === before) return;
    expect(event.kind === 'resumed' || ('isOpen' in event && event.isOpen)).toBe(true);
  });
});

test('closes everything when it must pause', () => {
  expectAlways(({ event, after }) => {
    if (event.kind === 'rested') expect([requestOf(after), linesOf(after)]).toEqual([null, []]);
  });
});

test('has the voice that the member requested last, unless the service refused it', () => {
  fc.assert(
    fc.property(courses, (course) => {
      const chosen = new Set<string | null>(['nova']);
      for (const { event, after } of passagesOf(course)) {
        if (event.kind === 'asked') {
          chosen.add(event.voiceId);
          expect(voiceOf(after)).toBe(event.voiceId);
        }
        expect(chosen).toContain(voiceOf(after));
      }
    }),
  );
});

test('waits longer after each failure, and gives up after the fifth', () => {
  const failing: TimedStep[] = [1, 2, 3, 4, 5].flatMap(() => [
    { step: { kind: 'refused', isLate: false, isLasting: false }, passedMs: 0 },
    { step: { kind: 'heard', isOpen: true }, passedMs: LINE_MS },
  ]);
  const states = passagesOf([{ step: { kind: 'resumed' }, passedMs: 0 }, ...failing])
    .filter(({ event }) => event.kind === 'refused')
    .map(({ event, after }) =>
      after.kind === 'waiting' && event.kind === 'refused' ? after.againAtMs - event.at.nowMs : after.kind,
    );

  expect(states).toEqual([2_000, 4_000, 8_000, 16_000, 'over']);
});
