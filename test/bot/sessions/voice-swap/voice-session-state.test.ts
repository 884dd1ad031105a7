import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  type VoiceSessionEvent,
  type VoiceSessionState,
  next,
  phaseOf,
} from '../../../../src/bot/sessions/voice-swap/desk/voice-session-state.ts';
import type { SessionEnd } from '../../../../src/bot/sessions/voice-swap/desk/voice-view.ts';

const happening = fc.record({ kind: fc.constantFrom('announced', 'broke', 'restored') });
const ending = fc.record({
  kind: fc.constant('ended'),
  why: fc.constantFrom<SessionEnd>('stopped', 'moved', 'shutdown'),
});
const events = fc.array<VoiceSessionEvent>(fc.oneof({ weight: 8, arbitrary: happening }, ending));

function stateAfter(course: readonly VoiceSessionEvent[]): VoiceSessionState {
  return course.reduce<VoiceSessionState>(next, { kind: 'announcing' });
}

test('stays ended, for the first reason', () => {
  fc.assert(
    fc.property(events, ending, events, (before, { why }, later) => {
      const first = before.find((event) => event.kind === 'ended');
      expect(stateAfter([...before, { kind: 'ended', why }, ...later])).toEqual({
        kind: 'ended',
        why: first?.why ?? why,
      });
    }),
  );
});

test('hears members only after the notice, and only while it is connected', () => {
  fc.assert(
    fc.property(fc.array(happening), (course) => {
      const isAnnounced = course.some(({ kind }) => kind === 'announced');
      const isBroken = course.findLast(({ kind }) => kind !== 'announced')?.kind === 'broke';
      const expected = isBroken ? 'interrupted' : isAnnounced ? 'on' : 'announcing';
      expect(phaseOf(stateAfter(course))).toEqual({ kind: expected });
    }),
  );
});

test('does not change when an event is repeated', () => {
  fc.assert(
    fc.property(events, fc.oneof(happening, ending), (course, event) => {
      const once = next(stateAfter(course), event);
      expect(next(once, event)).toBe(once);
    }),
  );
});
