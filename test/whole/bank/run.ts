/** `npm run bank [-- --minutes 5] [--seed 1]`: runs several processes on the same books, and kills and pauses them. */
import { parseArgs } from 'node:util';
import { playBank } from './bank.ts';

const { values } = parseArgs({
  options: { minutes: { type: 'string', default: '5' }, seed: { type: 'string' } },
});
const minutes = Number(values.minutes);
const seed = values.seed === undefined ? Date.now() % 1_000_000 : Number(values.seed);
if (!(minutes > 0) || !Number.isSafeInteger(seed)) {
  process.stderr.write('--minutes takes a number above zero, and --seed a whole number\n');
  process.exitCode = 2;
} else await run();

/** Spends half of the time on SQLite and half on PostgreSQL; without a PostgreSQL server, all of it on SQLite. */
async function run(): Promise<void> {
  const hasPostgres = (process.env['TEST_POSTGRES_URL'] ?? '') !== '';
  const databases = hasPostgres ? (['sqlite', 'postgres'] as const) : (['sqlite'] as const);
  for (const on of databases) {
    process.stdout.write(`The bank opens on ${on}, seed ${seed}\n`);
    const result = await playBank({ on, seed, seconds: (minutes * 60) / databases.length });
    process.stdout.write(`${JSON.stringify(result)}\n`);
    if (result.problems.length > 0) process.exitCode = 1;
  }
}
