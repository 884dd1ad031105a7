import { fork } from 'node:child_process';
import { on, once } from 'node:events';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { useDatabase, useDatabaseUrl } from '../../../db/use-database.ts';
import { runTogether } from '../../../db/use-processes.ts';
import { DOLLAR_A_DAY } from './a-hold.ts';
import { LedgerBench, useLedger } from './use-ledger.ts';
import { useFolder } from '../../../helpers/use-folder.ts';

const HOLD_PROCESS = new URL('hold-process.ts', import.meta.url);
const SPEND_PROCESS = new URL('spend-process.ts', import.meta.url);

test('exactly 10 of 200 simultaneous holds are granted with a budget for 10', async () => {
  const bench = await useLedger();
  const asked = Array.from({ length: 200 }, (_, index) => bench.hold(`job-${index}`, 100_000));
  const outcomes = await Promise.all(asked);
  expect(outcomes.filter((outcome) => outcome.held)).toHaveLength(10);
  expect(await bench.left()).toBe(0);
  const [window] = await bench.totals();
  expect(window?.summed).toMatchObject({ budget: -1_000_000, pending: 1_000_000, spent: 0, overrun: 0 });
});

test('exactly 10 of 200 simultaneous holds from four processes are granted with a budget for 10', async () => {
  const path = join(await useFolder(), 'shared.db');
  const granted = await runTogether(HOLD_PROCESS, 4, [await useDatabaseUrl(path), '50']);
  expect(granted.reduce<number>((sum, count) => sum + Number(count), 0)).toBe(10);
  const database = await useDatabase(path);
  const holds = await database.kysely.selectFrom('holds').select('subject').execute();
  expect(holds).toHaveLength(10);
  for (const table of ['meters', 'spending'] as const) {
    const totals = await database.kysely.selectFrom(table).selectAll().execute();
    expect(totals).toMatchObject([{ posted_micros: 0, pending_micros: 1_000_000, overrun_micros: 0 }]);
  }
});

test('a reported booking survives a kill at any moment, and the totals still agree', async () => {
  const path = join(await useFolder(), 'killed.db');
  const told: unknown[] = [];
  for (const untilTold of [1, 12, 40]) {
    const child = fork(SPEND_PROCESS, [await useDatabaseUrl(path)], {
      execArgv: [],
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    const exited = once(child, 'exit');
    for await (const [subject] of on(child, 'message', { close: ['exit'] })) {
      if (told.push(subject) % untilTold === 0) child.kill('SIGKILL');
    }
    expect(await exited).toEqual([null, 'SIGKILL']);
  }
  const bench = new LedgerBench(await useDatabase(path), DOLLAR_A_DAY);
  const posted = await bench.database.kysely
    .selectFrom('holds')
    .select('subject')
    .where('state', '=', 'posted')
    .execute();
  const kept = new Set<unknown>(posted.map((row) => row.subject));
  expect(told.length).toBeGreaterThanOrEqual(40);
  expect(told.filter((subject) => !kept.has(subject))).toEqual([]);
  const [window] = await bench.totals();
  const { posted: spent, pending, overrun } = window?.stored ?? {};
  expect(window?.summed).toMatchObject({ spent, pending, overrun: 0 - (overrun ?? 0) });
});
