import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { micros } from '../../../src/base/money.ts';
import { useSqlite } from '../../db/use-database.ts';
import { DOLLAR_A_DAY } from '../../bot/money/ledger/a-hold.ts';
import { LedgerBench } from '../../bot/money/ledger/use-ledger.ts';
import { useFolder } from '../../helpers/use-folder.ts';
import { useProgram } from './use-program.ts';

/** Runs the `ledger` role on a database file to its end. Returns its exit code, stdout and stderr. */
async function run(path: string, ...args: string[]): Promise<[number | null, readonly string[], string]> {
  const program = useProgram(
    ['ledger', ...args],
    { DATABASE_URL: `sqlite:${path}`, LOG_LEVEL: 'error' },
    '/',
  );
  const { code, stderr } = await program.ended();
  return [code, program.lines, stderr];
}

describe('ledger verify', () => {
  test('prints each difference on a line and exits with code 1, or with 0 if there is none', async () => {
    const path = join(await useFolder(), 'books.db');
    const bench = new LedgerBench(await useSqlite(path), DOLLAR_A_DAY);
    await bench.hold('job', 100_000);
    await bench.post('job', 40_000);

    expect(await run(path, 'verify')).toEqual([
      0,
      ['3 entries of 1 holds in 1 servers, 1 meters: 0 differences'],
      '',
    ]);

    await bench.database.kysely
      .updateTable('holds')
      .set({ charged_micros: micros(41_000) })
      .execute();
    const difference = { place: 'hold job', figure: 'charged', stored: 41_000, computed: 40_000 };
    const [code, lines] = await run(path, 'verify', '--json');
    expect([code, ...lines.map((line) => JSON.parse(line) as unknown)]).toEqual([
      1,
      { difference },
      { verified: { holds: 1, entries: 3, guilds: 1, meters: 1, differences: 1 } },
    ]);
    expect((await run(path, 'verify'))[1]).toContain(
      'hold job: charged is stored as 41000, but comes to 40000',
    );
  });

  test('rejects another action and names its arguments', async () => {
    const path = join(await useFolder(), 'books.db');
    expect(await run(path, 'mend')).toMatchObject([1, [], expect.stringContaining('ledger verify [--json]')]);
  });
});
