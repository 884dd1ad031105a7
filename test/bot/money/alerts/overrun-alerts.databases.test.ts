import { expect, onTestFinished, test } from 'vitest';
import { micros } from '../../../../src/base/money.ts';
import { BudgetRules } from '../../../../src/bot/money/budgets/budget-rules.ts';
import { SEND_LEASE_MS } from '../../../../src/bot/money/alerts/outbox.ts';
import { overrunAlerts } from '../../../../src/bot/money/alerts/overrun-alerts.ts';
import { type LedgerBench, useLedger } from '../ledger/use-ledger.ts';
import { recordingLogger } from '../../../helpers/recording-logger.ts';
import type { OverrunAlert, OverrunAlertChannel } from '../../../../src/bot/money/alerts/overrun-alert.ts';

const BUDGET = { limit: micros(1_000_000), period: 'day', timeZone: 'UTC' } as const;
const ADMIN = { guildId: 'guild', userId: '1', roleIds: [], isAdmin: true };

interface Bench {
  readonly ledger: LedgerBench;
  readonly heard: (OverrunAlert & { readonly channelId: string; readonly isRepeat: boolean })[];
  /** The number of attempts for which the chat will be unreachable. */
  away: number;
  /** Charges one of the member's jobs more than twice its hold. */
  overruns(subject: string, userId?: string): Promise<void>;
  chooses(channelId: string): Promise<void>;
  /**
   * Starts this many senders, as separate processes would, and stops them when nothing is due. Returns the ids of the
   * users about whom alerts were sent.
   */
  startsSender(processes?: number): Promise<readonly string[]>;
}

async function useBench(): Promise<Bench> {
  const ledger = await useLedger(BUDGET);
  const { database: db, clock } = ledger;
  const rules = new BudgetRules({ db, clock, timeZone: 'UTC' });
  const channel: OverrunAlertChannel = {
    sendOverrunAlert: (channelId, alert, { isRepeat }) => {
      if (bench.away > 0) {
        bench.away -= 1;
        return Promise.reject(new Error('The chat is away'));
      }
      bench.heard.push({ ...alert, channelId, isRepeat });
      return Promise.resolve({ outcome: 'sent' });
    },
  };
  const bench: Bench = {
    ledger,
    heard: [],
    away: 0,
    async overruns(subject, userId = '77') {
      await ledger.hold(subject, 50_000, { userId });
      await ledger.post(subject, 200_000);
    },
    async chooses(alertsChannelId) {
      await rules.change(ADMIN, { alertsChannelId });
    },
    async startsSender(processes = 1) {
      const before = bench.heard.length;
      const timers = clock.pendingTimers;
      const started = Array.from({ length: processes }, () => {
        const alerts = overrunAlerts({ db, clock, log: recordingLogger([]), channel });
        onTestFinished(() => alerts[Symbol.asyncDispose]());
        alerts.start();
        return alerts;
      });
      const isSending = async (): Promise<boolean> => {
        const watches = await db.kysely.selectFrom('overrun_watches').select('alert_due_at_ms').execute();
        return watches.some(({ alert_due_at_ms: atMs }) => atMs === clock.now() + SEND_LEASE_MS);
      };
      // Each sender has sent everything that is due, and waits for the next alert.
      await expect
        .poll(async () => !(await isSending()) && clock.pendingTimers, { timeout: 10_000 })
        .toBe(timers + processes);
      for (const alerts of started) await alerts[Symbol.asyncDispose]();
      return bench.heard.slice(before).map(({ userId }) => userId);
    },
  };
  return bench;
}

test('a wait is reported once, with both amounts, whatever is charged while it lasts; a new wait is reported again', async () => {
  const bench = await useBench();
  await bench.chooses('55');
  await bench.overruns('first');
  await bench.overruns('second');
  await bench.overruns('of_ben', '88');

  expect(await bench.startsSender(3)).toEqual(['77', '88']);
  expect(bench.heard[0]).toMatchObject({ channelId: '55', guildId: 'guild', held: 50_000, charged: 200_000 });
  expect(await bench.startsSender()).toEqual([]);
  await bench.ledger.database.transaction('guild:guild', (trx) =>
    bench.ledger.ledger.watches.clear(trx, { guildId: 'guild', userId: '77' }),
  );
  await bench.overruns('third');
  expect(await bench.startsSender()).toEqual(['77']);
});

test('a charge that was reviewed or corrected before is not reported', async () => {
  const bench = await useBench();
  await bench.chooses('55');
  await bench.overruns('reviewed');
  await bench.overruns('corrected', '88');
  await bench.ledger.post('corrected', 60_000);
  await bench.ledger.database.transaction('guild:guild', (trx) =>
    bench.ledger.ledger.watches.clear(trx, { guildId: 'guild', userId: '77' }),
  );

  expect(await bench.startsSender()).toEqual([]);
});

test('a server that chooses its channel later gets alerts of the waits that last', async () => {
  const bench = await useBench();
  await bench.overruns('early');

  expect(await bench.startsSender()).toEqual([]);
  await bench.chooses('55');
  expect(await bench.startsSender()).toEqual(['77']);
});

test('an alert that the chat could not accept is sent again, as a repeat', async () => {
  const bench = await useBench();
  await bench.chooses('55');
  await bench.overruns('job');
  bench.away = 1;

  expect(await bench.startsSender()).toEqual([]);
  await bench.ledger.clock.advance(60_000);
  expect(await bench.startsSender()).toEqual(['77']);
  expect(bench.heard).toMatchObject([{ isRepeat: true }]);
});
