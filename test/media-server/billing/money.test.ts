import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { FakeClock } from '../../helpers/fake-clock.ts';
import { micros, parseUsd } from '../../../src/base/money.ts';
import type { WireBalance } from '../../../src/media-api/wire.ts';
import { chargeOf } from '../../../src/media-server/billing/billing.ts';
import type { JobRow } from '../../../src/media-server/store/jobs.ts';
import { type DatabaseView, useDatabase } from '../use-database.ts';
import { type UsedServer, useServer } from '../use-server.ts';

const usd = (amount: string): ReturnType<typeof parseUsd> => parseUsd(amount);

test('a charge is max(minimum, rate x units), to the micro-dollar', () => {
  const amount = fc.integer({ min: 0, max: 10_000_000 });
  fc.assert(
    fc.property(amount, amount, fc.integer({ min: 0, max: 7_200_000 }), (rate, minimum, milliUnits) => {
      const job = { status: 'succeeded', rate, minimum, milliUnits } as unknown as JobRow;
      const exact = (BigInt(rate) * BigInt(milliUnits) + 500n) / 1000n;
      const expected = exact > BigInt(minimum) ? exact : BigInt(minimum);
      expect(BigInt(chargeOf(job))).toBe(expected);
      expect(chargeOf({ ...job, status: 'failed' })).toBe(0);
    }),
  );
});

test('an amount above the charge is released, and a shortfall is collected', async () => {
  const { api, server } = await useServer({ openingBalance: usd('1') });
  const body = await api.photoSwapBody();
  const chargeUnder = async (rate: string, minimum: string, hold: string): Promise<unknown> => {
    server.admin.setRate('photo_swap', { rate: usd(rate), minimum: usd(minimum), hold: usd(hold) });
    return (await api.ended((await api.submit(body)).id)).charged_usd;
  };
  expect(await chargeUnder('0.04', '0.01', '0.5')).toBe(0.04);
  expect((await api.get('/balance')).json).toMatchObject({ balance_usd: 0.96, total_spent_usd: 0.04 });
  expect(await chargeUnder('0.04', '0.30', '0.01')).toBe(0.3);
  expect((await api.get('/balance')).json).toMatchObject({ balance_usd: 0.66, total_spent_usd: 0.34 });
  expect(await chargeUnder('2', '0', '0')).toBe(2);
  expect((await api.get('/balance')).json).toMatchObject({ balance_usd: -1.34 });
  expect((await api.post('/face-swap-image', body)).status).toBe(402);
});

test('a failure releases its hold at once, a success only when it is settled', async () => {
  const { api, server, engine, dataDir } = await useServer({ openingBalance: usd('1') });
  const database = useDatabase(dataDir);
  const balance = async (): Promise<number> => ((await api.get('/balance')).json as WireBalance).balance_usd;
  engine.pause();
  const body = await api.photoSwapBody();
  const failing = await api.submit(body);
  const succeeding = await api.submit(body);
  expect(await balance()).toBe(0.88);
  server.admin.cancelJob(failing.id);
  expect(await balance()).toBe(0.94);
  expect(database.all('SELECT charged FROM jobs ORDER BY seq')).toEqual([
    { charged: null },
    { charged: null },
  ]);
  engine.release();
  await vi.waitFor(() =>
    expect(database.all("SELECT 1 FROM jobs WHERE status = 'succeeded'")).toHaveLength(1),
  );
  expect(await balance()).toBe(0.94);
  expect((await api.job(succeeding.id)).charged_usd).toBe(0.04);
  expect(await balance()).toBe(0.96);
});

test('a job is billed by the rates of its submit', async () => {
  const { api, server, engine } = await useServer();
  engine.pause();
  const { id } = await api.submit(await api.photoSwapBody());
  server.admin.setRate('photo_swap', { rate: usd('9'), minimum: usd('9'), hold: usd('9') });
  engine.release();
  expect((await api.ended(id)).charged_usd).toBe(0.04);
});

test('100 simultaneous polls settle a job once, and each of them shows the charge', async () => {
  const { api, dataDir } = await useServer();
  const database = useDatabase(dataDir);
  const { id } = await api.submit(await api.photoSwapBody());
  await vi.waitFor(() => expect(database.all('SELECT 1 FROM jobs WHERE finishedAt IS NULL')).toEqual([]));
  expect(database.all('SELECT charged FROM jobs')).toEqual([{ charged: null }]);
  const jobs = await Promise.all(Array.from({ length: 100 }, () => api.job(id)));
  expect(new Set(jobs.map((job) => job.charged_usd))).toEqual(new Set([0.04]));
  expect(database.all("SELECT amount FROM entries WHERE kind = 'charge'")).toEqual([{ amount: 40_000 }]);
});

test('a finished job that nobody polls is settled by itself within two hours', async () => {
  const clock = new FakeClock();
  const { api, dataDir, engine, server } = await useServer({ clock });
  const database = useDatabase(dataDir);
  engine.pause();
  const { id } = await api.submit(await api.photoSwapBody());
  server.admin.cancelJob(id);
  await clock.advance(2 * 3_600_000);
  expect(database.all('SELECT charged FROM jobs')).toEqual([{ charged: 0 }]);
});

test('entries can be neither changed nor removed', async () => {
  const { dataDir } = await useServer();
  const database = useDatabase(dataDir);
  expect(() => database.exec('UPDATE entries SET amount = 1')).toThrow('append-only');
  expect(() => database.exec('DELETE FROM entries')).toThrow('append-only');
});

test('balance periods start at UTC midnight: on Monday, on the first, on New Year', async () => {
  const clock = new FakeClock(Date.UTC(2026, 11, 27, 23, 0));
  const { api } = await useServer({ clock, uploadRetentionMs: 30 * 86_400_000 });
  const body = await api.photoSwapBody();
  const spend = async (): Promise<number[]> => {
    await api.ended((await api.submit(body)).id);
    const balance = (await api.get('/balance')).json as WireBalance;
    return [balance.spent_this_week_usd, balance.spent_this_month_usd, balance.spent_this_year_usd];
  };
  expect(await spend()).toEqual([0.04, 0.04, 0.04]);
  await clock.advance(3_600_000);
  expect(new Date(clock.now()).toISOString()).toBe('2026-12-28T00:00:00.000Z');
  expect(await spend()).toEqual([0.04, 0.08, 0.08]);
  await clock.advance(4 * 86_400_000);
  expect(await spend()).toEqual([0.08, 0.04, 0.04]);
});

type Step = 'submit' | 'submitBad' | 'cancel' | 'poll' | 'topUp' | 'dearer' | 'cheaper' | 'settle';
const STEPS: readonly Step[] = [
  'submit',
  'submitBad',
  'cancel',
  'poll',
  'topUp',
  'dearer',
  'cheaper',
  'settle',
];

test('balance = topped up - spent - open holds after every operation of random runs', async () => {
  const used = await useServer({ openingBalance: usd('0.50') });
  const database = useDatabase(used.dataDir);
  const good = await used.api.photoSwapBody();
  const bad = (await used.api.upload(Buffer.from('bad'))).json as { file_key: string };
  const ids: string[] = [];
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.constantFrom(...STEPS), fc.nat()), { maxLength: 25 }),
      async (steps) => {
        for (const [step, choice] of steps) {
          await perform(used, step, choice, ids, good, { ...good, face_key: bad.file_key });
          await expectBooksRight(used, database);
        }
      },
    ),
    { numRuns: 15 },
  );
}, 60_000);

async function perform(
  { api, server }: UsedServer,
  step: Step,
  choice: number,
  ids: string[],
  good: object,
  bad: object,
): Promise<void> {
  const id = ids[choice % Math.max(ids.length, 1)];
  if (step === 'submit' || step === 'submitBad') {
    const answer = await api.post('/face-swap-image', step === 'submit' ? good : bad);
    if (answer.status === 200) ids.push((answer.json as { id: string }).id);
    else expect(answer.status).toBe(402);
  }
  if (step === 'cancel' && id) server.admin.cancelJob(id);
  if (step === 'poll' && id) await api.job(id);
  if (step === 'settle' && id) await api.ended(id);
  if (step === 'topUp') server.admin.topUp(micros((choice % 90_000) + 1));
  if (step === 'dearer' || step === 'cheaper') {
    const rate = micros((choice % 100_000) * (step === 'dearer' ? 2 : 1));
    server.admin.setRate('photo_swap', { rate, minimum: micros(1_234), hold: micros(choice % 80_000) });
  }
}

async function expectBooksRight({ api, server }: UsedServer, database: DatabaseView): Promise<void> {
  let truth;
  let balance;
  do {
    truth = database.recomputed();
    balance = (await api.get('/balance')).json as WireBalance;
  } while (database.recomputed().balance !== truth.balance);
  expect(Math.round(balance.balance_usd * 1e6)).toBe(truth.balance);
  expect(Math.round(balance.total_spent_usd * 1e6)).toBe(truth.spent);
  expect(Math.round(balance.total_topped_up_usd * 1e6)).toBe(truth.toppedUp);
  const [account] = server.admin.listAccounts();
  const { toppedUp, spent, held } = database.recomputed();
  expect(account).toMatchObject({ toppedUp, spent, held });
  expect(database.all('SELECT ifnull(sum(charged), 0) AS spent FROM jobs')).toEqual([{ spent }]);
}
