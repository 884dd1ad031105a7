import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  RESUMES_MAX,
  type VoiceLinkEvent,
  type VoiceLinkState,
  isOver,
  next,
} from '../../../../src/bot/discord/voice/voice-link-state.ts';

const code = fc.option(fc.integer({ min: 4000, max: 4022 }));
const ending = fc.oneof(
  fc.record({ kind: fc.constant('closed'), code }),
  fc.record({ kind: fc.constant('disposed') }),
);
const happening = fc.oneof(
  fc.record({ kind: fc.constant('connected'), hasKeys: fc.boolean() }),
  fc.record({ kind: fc.constantFrom('keys_agreed', 'broke', 'timed_out') }),
);
const courses = fc.array<VoiceLinkEvent>(fc.oneof({ weight: 9, arbitrary: happening }, ending));

function statesOf(course: readonly VoiceLinkEvent[]): readonly VoiceLinkState[] {
  const states: VoiceLinkState[] = [];
  let state: VoiceLinkState = { kind: 'opening' };
  for (const event of course) states.push((state = next(state, event)));
  return states;
}

test('stays ended, whatever event follows', () => {
  fc.assert(
    fc.property(courses, ending, courses, (before, end, later) => {
      const [first, ...rest] = statesOf([...before, end, ...later]).slice(before.length);
      expect(first && isOver(first)).toBe(true);
      for (const state of rest) expect(state).toBe(first);
    }),
  );
});

test('is ready only if it was connected after its last break', () => {
  fc.assert(
    fc.property(courses, (course) => {
      let isConnected = false;
      for (const [index, state] of statesOf(course).entries()) {
        const kind = course[index]?.kind;
        if (kind === 'connected' || kind === 'broke') isConnected = kind === 'connected';
        if (state.kind === 'ready' || state.kind === 'keying') expect(isConnected).toBe(true);
      }
    }),
  );
});

test('is given up when it breaks more often than it may resume', () => {
  const breaking = Array.from({ length: RESUMES_MAX + 1 }, (): readonly VoiceLinkEvent[] => [
    { kind: 'connected', hasKeys: true },
    { kind: 'broke' },
  ]);

  const kinds = statesOf(breaking.flat()).map((state) => state.kind);

  expect(kinds.filter((kind) => kind === 'resuming')).toHaveLength(RESUMES_MAX);
  expect(kinds.at(-1)).toBe('closed');
});

test('has a time limit in every state except the connected one', () => {
  fc.assert(
    fc.property(courses, (course) => {
      for (const state of statesOf(course)) {
        const isWaiting = state.kind !== 'ready' && !isOver(state);
        expect(next(state, { kind: 'timed_out' }) === state).toBe(!isWaiting);
      }
    }),
  );
});
