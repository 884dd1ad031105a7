import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type MicroUsd, maxMicros, micros, parseUsd } from '../../../src/base/money.ts';
import type { WireBalance, WireUsageSummary, WireVoiceSession } from '../../../src/media-api/wire.ts';
import { blockOf, sessionCharge } from '../../../src/media-server/billing/session-price.ts';
import type { SessionRow } from '../../../src/media-server/store/sessions.ts';
import { type StreamClient, connectStream } from '../sessions/stream-client.ts';
import { type UsedSessions, advanceAlive, settled, useSessions } from '../sessions/use-sessions.ts';
import { type DatabaseView, useDatabase } from '../use-database.ts';

test('a charge is seconds x rate / 60 to the micro-dollar, and never above the block', () => {
  const rate = fc.integer({ min: 0, max: 100_000_000 }).map(micros);
  const seconds = fc.integer({ min: 1, max: 14_400 });
  fc.assert(
    fc.property(rate, seconds, fc.double({ min: 0, max: 2, noNaN: true }), (perMinute, granted, share) => {
      const block = blockOf(perMinute, granted);
      expect(block * 60).toBeGreaterThanOrEqual(perMinute * granted);
      expect((block - 1) * 60).toBeLessThan(Math.max(perMinute * granted, 1));
      const streamedMs = Math.round(granted * 1000 * share);
      const charge = sessionCharge(perMinute, streamedMs, block);
      expect(charge).toBeLessThanOrEqual(block);
      if (share < 1) expect(Math.abs(charge - (perMinute * streamedMs) / 60_000)).toBeLessThanOrEqual(0.5);
      if (share >= 1) expect(block - charge).toBeLessThanOrEqual(1);
    }),
  );
});

const STEPS = [
  'submit',
  'cancel',
  'settle',
  'topUp',
  'openVoice',
  'openLive',
  'connect',
  'speak',
  'hangUp',
  'cutOff',
  'wait',
  'photoRate',
  'voiceRate',
  'liveRate',
] as const;

type Step = (typeof STEPS)[number];

/** The fixed steps of the first run. They spend money and end sessions in two ways, in case no random run does. */
const SPENDING: [Step, number][] = [
  ['submit', 0],
  ['settle', 0],
  ['openVoice', 0],
  ['connect', 0],
  ['speak', 0],
  ['wait', 5_000],
  ['hangUp', 0],
  ['openVoice', 0],
  ['connect', 0],
  ['hangUp', 0],
];

interface Run {
  readonly jobs: string[];
  readonly waiting: WireVoiceSession[];
  readonly streams: { readonly session: WireVoiceSession; readonly stream: StreamClient }[];
}

test('the books are correct and every open session is payable after every operation of random runs', async () => {
  const used = await useSessions({
    openingBalance: parseUsd('2'),
    liveSessionsMax: 3,
    voiceSessionsMax: 4,
    uploadRetentionMs: 300 * 86_400_000,
  });
  const database = useDatabase(used.dataDir);
  const body = await used.api.photoSwapBody();
  const run: Run = { jobs: [], waiting: [], streams: [] };
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.constantFrom(...STEPS), fc.nat()), { maxLength: 30 }),
      async (steps) => {
        for (const [step, choice] of steps) {
          await perform(used, run, body, step, choice);
          await expectBooksRight(used, database);
        }
      },
    ),
    { numRuns: 15, examples: [[SPENDING]] },
  );
  const reasons = database.all<{ reason: string | null }>('SELECT DISTINCT reason FROM sessions');
  expect(reasons.length).toBeGreaterThan(1);
  expect(database.recomputed().spent).toBeGreaterThan(0);
}, 60_000);

async function perform(
  { api, server, clock }: UsedSessions,
  { jobs, waiting, streams }: Run,
  body: object,
  step: Step,
  choice: number,
): Promise<void> {
  const rate = micros(choice % 400_000);
  const perMinute = { rate, minimum: micros(0), hold: micros(0) };
  const minutes = { duration_minutes: (choice % 5) + 1 };
  const open = async (path: string): Promise<void> => {
    const answer = await api.post(path, minutes);
    if (answer.status === 200) waiting.push(answer.json as WireVoiceSession);
    else expect([402, 429]).toContain(answer.status);
  };
  const end = async (how: (stream: StreamClient) => void): Promise<void> => {
    const [ended] = streams.splice(choice % Math.max(streams.length, 1), 1);
    if (!ended) return;
    how(ended.stream);
    const { charged_usd } = await settled(api, ended.session);
    expect(charged_usd).toBeLessThanOrEqual(ended.session.max_cost_usd);
  };
  const work: Readonly<Record<Step, () => unknown>> = {
    async submit() {
      const answer = await api.post('/face-swap-image', body);
      if (answer.status === 200) jobs.push((answer.json as { id: string }).id);
      else expect(answer.status).toBe(402);
    },
    cancel: () => server.admin.cancelJob(jobs.at(-1) ?? ''),
    settle: async () => jobs.length > 0 && (await api.ended(jobs[choice % jobs.length] ?? '')),
    topUp: () => server.admin.topUp(micros((choice % 500_000) + 1)),
    openVoice: () => open('/voice/session'),
    openLive: () => open('/full-live-swap/session'),
    async connect() {
      const session = waiting.pop();
      if (!session) return;
      const stream = await connectStream(session).catch(() => undefined);
      if (stream) streams.push({ session, stream });
    },
    async speak() {
      const stream = streams[choice % Math.max(streams.length, 1)]?.stream;
      if (stream?.socket.readyState !== 1 || typeof stream.frames[0] !== 'string') return;
      const before = stream.frames.length;
      stream.send(Buffer.alloc(320));
      await expect.poll(() => stream.frames.length, { interval: 2 }).toBeGreaterThan(before);
    },
    hangUp: () => end(({ socket }) => socket.close()),
    cutOff: () => end(({ socket }) => socket.terminate()),
    wait: () => advanceAlive(clock, choice % 90_000),
    photoRate: () => server.admin.setRate('photo_swap', photoRate(rate, micros(choice % 90_000))),
    voiceRate: () => server.admin.setRate('voice_swap', perMinute),
    liveRate: () => server.admin.setRate('live_swap_pro', perMinute),
  };
  await work[step]();
}

/**
 * Returns a rate whose hold covers the charge, because a job that costs more than its hold may overdraw the account.
 */
function photoRate(rate: MicroUsd, minimum: MicroUsd): { rate: MicroUsd; minimum: MicroUsd; hold: MicroUsd } {
  return { rate, minimum, hold: maxMicros(rate, minimum) };
}

async function expectBooksRight({ api }: UsedSessions, database: DatabaseView): Promise<void> {
  let truth;
  let balance;
  let summary;
  do {
    truth = database.recomputed();
    balance = (await api.get('/balance')).json as WireBalance;
    summary = (await api.get('/usage/summary')).json as WireUsageSummary;
  } while (JSON.stringify(database.recomputed()) !== JSON.stringify(truth));
  const toMicros = (dollars: number): number => Math.round(dollars * 1e6);
  expect(toMicros(balance.balance_usd)).toBe(truth.balance);
  expect(toMicros(balance.total_spent_usd)).toBe(truth.spent);
  expect(toMicros(summary.total_spent_usd)).toBe(truth.spent);
  expect(summary.total_calls).toBe(summary.succeeded + summary.failed + summary.in_flight);
  expect(sum(summary.per_feature, ({ calls }) => calls)).toBe(summary.total_calls);
  expect(sum(summary.per_feature, ({ spend_usd }) => toMicros(spend_usd))).toBe(truth.spent);
  const sessions = database.all<SessionRow>('SELECT * FROM sessions');
  const open = sessions.filter(({ endedAt }) => endedAt === null);
  expect(truth.balance).toBeGreaterThanOrEqual(sum(open, ({ block }) => block));
  for (const { block, charged, rate, seconds, streamedMs } of sessions) {
    expect(streamedMs ?? 0).toBeLessThanOrEqual(seconds * 1000);
    if (charged !== null) expect(charged).toBe(sessionCharge(rate, streamedMs ?? 0, block));
  }
}

function sum<T>(items: readonly T[], value: (item: T) => number): number {
  return items.reduce((total, item) => total + value(item), 0);
}
