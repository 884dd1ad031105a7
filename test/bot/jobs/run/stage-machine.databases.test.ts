import fc from 'fast-check';
import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { PIPELINE } from '../../../../src/bot/jobs/run/pipeline.ts';
import { TEST_DATABASE } from '../../../db/database-url.ts';
import { STATES, type Trouble, type Truth } from './scripted-service.ts';
import type { Death, Ending, PlayedJob } from './played-job.ts';
import { type StageMachine, useStageMachine } from './use-stage-machine.ts';

/**
 * The number of sequences to try; an environment variable can request more. With a database server the same search
 * takes several times as long, because each query goes over a socket. The server affects only how individual steps are
 * stored, so fewer sequences are enough.
 */
const RUNS = Number(process.env['STAGE_MACHINE_RUNS'] ?? (TEST_DATABASE === 'postgres' ? 60 : 200));

type Event =
  | {
      readonly kind:
        | 'service advances'
        | 'restart'
        | 'takeover'
        | 'strange webhook'
        | 'chat answer lost'
        | 'release';
    }
  | { readonly kind: 'webhook'; readonly state: number; readonly copy: number }
  | { readonly kind: 'stale answer'; readonly states: number }
  | { readonly kind: 'trouble'; readonly route: 'submit' | 'job' | 'output'; readonly trouble: Trouble }
  | { readonly kind: 'time'; readonly ms: number }
  | { readonly kind: 'pause'; readonly turns: number };

interface Way {
  readonly truth: Truth;
  /** Whether the response to the submission is held back, so that webhooks arrive before it. */
  readonly isHolding: boolean;
  readonly deaths: readonly Death[];
  readonly events: readonly Event[];
}

const plain = (
  kind: 'service advances' | 'restart' | 'takeover' | 'strange webhook' | 'chat answer lost' | 'release',
) => fc.constant({ kind } as const);

const event: fc.Arbitrary<Event> = fc.oneof(
  { weight: 4, arbitrary: plain('service advances') },
  { weight: 1, arbitrary: plain('restart') },
  { weight: 1, arbitrary: plain('takeover') },
  { weight: 1, arbitrary: plain('strange webhook') },
  { weight: 1, arbitrary: plain('chat answer lost') },
  { weight: 2, arbitrary: plain('release') },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('webhook' as const),
      state: fc.nat({ max: STATES - 1 }),
      copy: fc.nat({ max: 1 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('stale answer' as const),
      states: fc.integer({ min: 1, max: STATES }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('trouble' as const),
      route: fc.constantFrom('submit' as const, 'job' as const, 'output' as const),
      trouble: fc.constantFrom('lost' as const, 'fault' as const, 'unknown' as const),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('time' as const),
      ms: fc.constantFrom(100, 1_000, 10_000, 61_000),
    }),
  },
  {
    weight: 8,
    arbitrary: fc.record({ kind: fc.constant('pause' as const), turns: fc.integer({ min: 1, max: 150 }) }),
  },
);

const way: fc.Arbitrary<Way> = fc.record({
  truth: fc.record({
    status: fc.constantFrom('succeeded' as const, 'failed' as const),
    isChargeLate: fc.boolean(),
  }),
  isHolding: fc.boolean(),
  deaths: fc.array(
    fc.record({
      stage: fc.constantFrom(...Object.keys(PIPELINE)),
      moment: fc.constantFrom('starting' as const, 'effected' as const),
    }),
    { maxLength: 4 },
  ),
  events: fc.array(event, { maxLength: 25 }),
});

async function happen(job: PlayedJob, event: Event): Promise<void> {
  switch (event.kind) {
    case 'service advances':
      return job.service.goOn();
    case 'release':
      return job.service.release();
    case 'restart':
      return job.restart();
    case 'takeover':
      return job.takeOver();
    case 'strange webhook':
      return job.strangeWebhook();
    case 'chat answer lost':
      return job.loseNextAnswerOfChat();
    case 'webhook':
      return job.webhook(event.state, event.copy);
    case 'stale answer':
      return job.service.lag(event.states);
    case 'trouble':
      return job.service.fail(event.route, event.trouble);
    case 'time':
      return job.later(event.ms);
    case 'pause':
      for (let left = event.turns; left > 0; left--) await turn();
  }
}

/** Plays one sequence to its end, and then sends all reports again. That must not change the outcome. */
async function play(machine: StageMachine, { truth, isHolding, deaths, events }: Way): Promise<Ending> {
  const job = await machine.begin(truth, { isHolding, deaths });
  try {
    for (const each of events) await happen(job, each);
    const ending = await job.drain();
    for (const state of [STATES - 1, 0, STATES - 2]) await job.webhook(state, 2);
    await job.strangeWebhook();
    await job.restart();
    await job.later(3_600_000);
    await turn();
    expect(await job.ending(), 'what came after the end changed it').toEqual(ending);
    return ending;
  } finally {
    await job.end();
  }
}

const END: Readonly<Record<Truth['status'], Ending>> = {
  succeeded: {
    job: {
      stage: 'settled',
      outcome: 'succeeded',
      failure: null,
      charged_micros: 40_000,
      result_message_id: '1',
    } as Ending['job'],
    isKept: true,
    hold: { state: 'posted', amount_micros: 100_000, charged_micros: 40_000, overrun_micros: 0 },
    entries: [
      { kind: 'hold', micros: 100_000 },
      { kind: 'charge', micros: 40_000 },
      { kind: 'release', micros: 60_000 },
    ],
    cards: [{ kind: 'result', charged: 40_000, left: 9_960_000 }],
    submits: 1,
  },
  failed: {
    job: {
      stage: 'settled',
      outcome: 'failed',
      failure: JSON.stringify({ reason: 'job', code: 'face_not_detected' }),
      charged_micros: 0,
      result_message_id: '1',
    } as Ending['job'],
    isKept: false,
    hold: { state: 'voided', amount_micros: 100_000, charged_micros: 0, overrun_micros: 0 },
    entries: [
      { kind: 'hold', micros: 100_000 },
      { kind: 'release', micros: 100_000 },
    ],
    cards: [
      {
        kind: 'failure',
        charged: 0,
        left: 10_000_000,
        failure: { reason: 'job', code: 'face_not_detected' },
      },
    ],
    submits: 1,
  },
};

/** Sequences that once led to a wrong outcome. */
const KNOWN: readonly Way[] = [
  // A worker that had lost its lease removed the file that the next worker was inspecting.
  {
    truth: { status: 'succeeded', isChargeLate: false },
    isHolding: false,
    deaths: [],
    events: [
      { kind: 'pause', turns: 20 },
      { kind: 'time', ms: 61_000 },
      { kind: 'pause', turns: 100 },
    ],
  },
];

test(
  'whatever is seen, lost, repeated or reordered, a job has exactly one end',
  { timeout: 600_000 },
  async () => {
    const machine = await useStageMachine();

    await fc.assert(
      fc.asyncProperty(way, async (chosen) => {
        expect(await play(machine, chosen)).toEqual(END[chosen.truth.status]);
      }),
      { numRuns: RUNS, endOnFailure: true, examples: KNOWN.map((each) => [each]) },
    );
  },
);
