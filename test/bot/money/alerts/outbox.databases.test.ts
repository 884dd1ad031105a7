import { expect, onTestFinished, test } from 'vitest';
import type { Database } from '../../../../db/database.ts';
import { operatorAlertQueue } from '../../../../db/queries/operator-alerts.ts';
import type { OperatorAlertRow } from '../../../../db/schema/alerts.ts';
import { FakeClock } from '../../../helpers/fake-clock.ts';
import type { AlertOutcome } from '../../../../src/bot/money/alerts/alert-outcome.ts';
import { type Decision, Outbox } from '../../../../src/bot/money/alerts/outbox.ts';
import { useDatabase } from '../../../db/use-database.ts';
import { recordingLogger } from '../../../helpers/recording-logger.ts';

const NOW_MS = Date.UTC(2026, 10, 22, 12);

interface Bench {
  readonly clock: FakeClock;
  readonly db: Database;
  readonly logged: string[];
  /** The attempts so far: for each, the id of the alert, followed by an exclamation mark if it is a repeat. */
  readonly sent: string[];
  /** The number of attempts in progress. */
  sending: number;
  /** How the chat responds to an attempt. */
  answer: (signal: AbortSignal) => Promise<AlertOutcome>;
  decide: (row: OperatorAlertRow, decision: Decision) => Decision;
  insert(id: string, dueAtMs?: number): Promise<void>;
  /** Starts this many outboxes, and waits until each has handled everything that is due. */
  run(outboxes?: number): Promise<void>;
  start(): Outbox<OperatorAlertRow>;
  /** Returns the open alerts, with the time until each is due. */
  open(): Promise<readonly (readonly [string, number])[]>;
}

async function useBench(): Promise<Bench> {
  const db = await useDatabase();
  const clock = new FakeClock(NOW_MS);
  const bench: Bench = {
    clock,
    db,
    logged: [],
    sent: [],
    sending: 0,
    answer: () => Promise.resolve({ outcome: 'sent' }),
    decide: (_row, decision) => decision,
    async insert(id, dueAtMs = NOW_MS) {
      const times = { made_at_ms: NOW_MS, due_at_ms: dueAtMs, told_at_ms: null, over_at_ms: NOW_MS };
      const row = { id, kind: 'low_balance', facts: '{}', ...times } as const;
      await db.kysely.insertInto('operator_alerts').values(row).execute();
    },
    start() {
      const outbox = new Outbox({
        db,
        clock,
        log: recordingLogger(bench.logged),
        queue: operatorAlertQueue,
        scopeOf: () => 'operator',
        decide: async (_trx, { row }) => bench.decide(row, { step: 'send', send: sendOf(bench, row.id) }),
        fieldsOf: ({ id }) => ({ id }),
      });
      onTestFinished(() => outbox[Symbol.asyncDispose]());
      outbox.start();
      return outbox;
    },
    async run(outboxes = 1) {
      const timers = clock.pendingTimers;
      const started = Array.from({ length: outboxes }, () => bench.start());
      const waiting = (): number => clock.pendingTimers - bench.sending;
      await expect.poll(waiting, { interval: 1 }).toBe(timers + outboxes);
      for (const outbox of started) await outbox[Symbol.asyncDispose]();
    },
    async open() {
      const rows = await db.kysely.selectFrom('operator_alerts').selectAll().orderBy('id').execute();
      const open = rows.filter(({ told_at_ms: toldAtMs }) => toldAtMs === null);
      return open.map(({ id, due_at_ms: dueAtMs }) => [id, dueAtMs - clock.now()]);
    },
  };
  return bench;
}

function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

function sendOf(bench: Bench, id: string): Extract<Decision, { step: 'send' }>['send'] {
  return async ({ isRepeat, signal }) => {
    bench.sent.push(isRepeat ? `${id}!` : id);
    bench.sending += 1;
    try {
      return await bench.answer(signal);
    } finally {
      bench.sending -= 1;
    }
  };
}

test('alerts are sent in the order in which they are due, each once', async () => {
  const bench = await useBench();
  await bench.insert('later', NOW_MS + 1);
  await bench.insert('second');
  await bench.insert('first', NOW_MS - 1);

  await bench.run();
  expect(bench.sent).toEqual(['first', 'second']);
  await bench.clock.advance(1);
  await bench.run();
  expect(bench.sent).toEqual(['first', 'second', 'later']);
  expect(await bench.open()).toEqual([]);
});

test('a nudge sends an alert that was inserted after the start', async () => {
  const bench = await useBench();
  const outbox = bench.start();
  await expect.poll(() => bench.clock.pendingTimers, { interval: 1 }).toBe(1);
  await bench.insert('new');

  outbox.nudge();

  await expect.poll(() => bench.sent, { interval: 1 }).toEqual(['new']);
});

test('an alert that its channel refuses is closed with a line in the log', async () => {
  const bench = await useBench();
  await bench.insert('a');
  bench.answer = () => Promise.resolve({ outcome: 'refused', reason: 'channel_gone' });

  await bench.run();

  expect(await bench.open()).toEqual([]);
  expect(bench.logged).toEqual([expect.stringMatching(/given up.*accepts no message.*channel_gone/s)]);
});

test('an alert that fails is sent again later, as a repeat', async () => {
  const bench = await useBench();
  await bench.insert('a');
  bench.answer = () => Promise.reject(new Error('The chat is away'));
  await bench.run();
  expect(bench.logged).toEqual([expect.stringContaining('will try again')]);
  const [[, delayMs] = ['', 0]] = await bench.open();
  expect(delayMs).toBeGreaterThan(0);

  bench.answer = () => Promise.resolve({ outcome: 'sent' });
  await bench.clock.advance(delayMs);
  await bench.run();

  expect(bench.sent).toEqual(['a', 'a!']);
  expect(await bench.open()).toEqual([]);
});

test('a chat that does not answer counts as a failure after twenty seconds', async () => {
  const bench = await useBench();
  await bench.insert('a');
  bench.answer = untilAborted;
  bench.start();
  await expect.poll(() => bench.sent, { interval: 1 }).toEqual(['a']);

  await bench.clock.advance(19_999);
  expect(bench.logged).toEqual([]);
  await bench.clock.advance(1);

  await expect.poll(() => bench.logged).toEqual([expect.stringContaining('Gave up after 20000 ms')]);
});

test('an alert whose process stops is due at once for another process, without a line in the log', async () => {
  const bench = await useBench();
  await bench.insert('a');
  bench.answer = untilAborted;
  const outbox = bench.start();
  await expect.poll(() => bench.sent, { interval: 1 }).toEqual(['a']);

  await outbox[Symbol.asyncDispose]();
  expect(await bench.open()).toEqual([['a', 0]]);
  bench.answer = () => Promise.resolve({ outcome: 'sent' });
  await bench.run();

  expect(bench.sent).toEqual(['a', 'a!']);
  expect(bench.logged).toEqual([]);
});

test('an alert can be closed, wait or be dropped without being sent', async () => {
  const bench = await useBench();
  await bench.insert('close');
  await bench.insert('wait');
  await bench.insert('drop');
  bench.decide = ({ id }) => {
    if (id === 'close') return { step: 'close' };
    return id === 'wait' ? { step: 'wait', untilMs: NOW_MS + 5_000 } : { step: 'dropped' };
  };
  await bench.run();
  expect(await bench.open()).toEqual([
    ['drop', 60_000],
    ['wait', 5_000],
  ]);

  bench.decide = (_row, decision) => decision;
  await bench.clock.advance(5_000);
  await bench.run();

  // The alert that waited counts as never tried, so it is sent without the mark of a repeat.
  expect(bench.sent).toEqual(['wait']);
});

test('several processes send each alert once', async () => {
  const bench = await useBench();
  const ids = Array.from({ length: 10 }, (_, index) => `alert_${index}`);
  for (const id of ids) await bench.insert(id);

  await bench.run(3);

  expect(bench.sent.toSorted()).toEqual(ids);
});
