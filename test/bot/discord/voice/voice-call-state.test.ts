import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { CloseVerdict } from '../../../../src/bot/discord/voice/judge-close.ts';
import {
  REJOINS_MAX,
  STABLE_MS,
  START,
  type VoiceCallEvent,
  type VoiceCallState,
  next,
  serverOf,
} from '../../../../src/bot/discord/voice/voice-call-state.ts';
import type { EndpointEnd } from '../../../../src/bot/sessions/voice-swap/voice-endpoint.ts';

const exists = fc.boolean();
const where = fc.constantFrom<'here' | 'elsewhere' | 'nowhere'>('here', 'here', 'elsewhere', 'nowhere');
const verdict = fc.constantFrom<CloseVerdict>('rejoin', 'rejoin', 'dismissed', 'stay_away', 'refused');
const atMs = fc.nat(2 * STABLE_MS);
const serverNamed = fc
  .record({ endpoint: fc.constantFrom('one', 'two'), token: fc.string(), sessionId: fc.string() })
  .map((server): VoiceCallEvent => ({ kind: 'server_named', server }));
const ending = fc.record({
  kind: fc.constant('ended'),
  why: fc.constantFrom<EndpointEnd>('closed', 'unreachable'),
});
/** All events from outside. `ended` is missing, because it only comes from the bot itself. */
const happening: fc.Arbitrary<VoiceCallEvent> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('timed_out'), exists }) },
  { weight: 3, arbitrary: serverNamed },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('link_ready'), atMs }) },
  fc.record({ kind: fc.constant('placed'), where }),
  fc.record({ kind: fc.constant('link_closed'), verdict, atMs }),
  fc.record({ kind: fc.constantFrom('not_asked', 'server_gone', 'link_failed', 'link_resuming') }),
);
const courses = fc.array(happening, { maxLength: 60 });

/** Returns the states of a sequence of events, including the first state. */
function statesOf(course: readonly VoiceCallEvent[]): readonly VoiceCallState[] {
  const states = [START];
  for (const event of course) states.push(Object.freeze(next(states.at(-1) ?? START, event)));
  return states;
}

test('reaches every phase', () => {
  const kinds = fc
    .sample(courses, { numRuns: 300, seed: 1 })
    .flatMap((course) => statesOf(course).map(({ phase }) => phase.kind));

  expect([...new Set(kinds)].toSorted()).toEqual(
    ['asking', 'ended', 'leaving', 'linked', 'linking', 'moving', 'pausing', 'resuming'].toSorted(),
  );
});

test('stays ended, whatever event follows', () => {
  fc.assert(
    fc.property(courses, ending, courses, (before, end, later) => {
      const [first, ...rest] = statesOf([...before, end, ...later]).slice(before.length + 1);
      expect(first?.phase.kind).toBe('ended');
      for (const state of rest) expect(state).toBe(first);
    }),
  );
});

test('is connected only to the most recently named voice server', () => {
  fc.assert(
    fc.property(courses, (course) => {
      let named: unknown = null;
      for (const [index, state] of statesOf(course).slice(1).entries()) {
        const event = course[index];
        if (event?.kind === 'server_named') named = event.server;
        const server = serverOf(state);
        if (server !== null) expect(server).toBe(named);
      }
    }),
  );
});

test('leaves a channel at the end if Discord may still list the bot in it', () => {
  fc.assert(
    fc.property(courses, ending, (course, end) => {
      const states = statesOf([...course, end]);
      const ended = states.find(({ phase }) => phase.kind === 'ended');
      if (ended?.phase.kind !== 'ended') return;
      expect(ended.phase.mustLeave || !ended.isSeated).toBe(true);
    }),
  );
});

test('gives up after a number of consecutive attempts without a stable connection', () => {
  const failing = fc.constantFrom<readonly VoiceCallEvent[]>(
    [{ kind: 'timed_out', exists: true }, { kind: 'not_asked' }],
    [
      { kind: 'timed_out', exists: true },
      { kind: 'timed_out', exists: true },
    ],
    [
      { kind: 'timed_out', exists: true },
      { kind: 'server_named', server: { endpoint: 'one', token: '', sessionId: '' } },
      { kind: 'link_ready', atMs: 0 },
      { kind: 'link_closed', verdict: 'rejoin', atMs: STABLE_MS - 1 },
    ],
  );
  const tries = REJOINS_MAX + 1;
  fc.assert(
    fc.property(fc.array(failing, { minLength: tries, maxLength: tries }), (rounds) => {
      const kindAfter = (count: number): string =>
        statesOf(rounds.slice(0, count).flat()).at(-1)?.phase.kind ?? '';
      expect([kindAfter(REJOINS_MAX), kindAfter(tries)]).toEqual(['pausing', 'ended']);
    }),
  );
});

test('restarts its count of attempts after a stable connection', () => {
  const server = { endpoint: 'one', token: '', sessionId: '' };
  const held: readonly VoiceCallEvent[] = [
    { kind: 'timed_out', exists: true },
    { kind: 'server_named', server },
    { kind: 'link_ready', atMs: 0 },
    { kind: 'link_closed', verdict: 'rejoin', atMs: STABLE_MS },
  ];
  const states = statesOf(Array.from({ length: 3 * REJOINS_MAX }, () => held).flat());

  expect(states.at(-1)).toMatchObject({ phase: { kind: 'pausing' }, attempts: 1 });
});
