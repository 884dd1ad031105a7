import { join } from 'node:path';
import { type ViteUserConfig, defineConfig } from 'vitest/config';
import { COMPILED } from './helpers/compiled.ts';

/** Where the database matters: these run on SQLite and, where `TEST_POSTGRES_URL` names a server, on PostgreSQL. */
const ON_BOTH = [
  'test/whole/bank/bank.databases.test.ts',
  'test/budgets/{guild-budgets,budget-command}.test.ts',
  'test/db/{jobs,job-changes,job-inputs,job-lists,rate-log,uploads,webhook-deliveries}.test.ts',
  'test/jobs/*.test.ts',
  'test/kill/{pause,poison}.test.ts',
  'test/live/{crash,books}.test.ts',
  'test/live-swap/{closings,killed,refusals}.test.ts',
  'test/{alerts,atomic,budgets,crowd,ledger,people}/*.test.ts',
  'test/operator/{books,operators,pause,records}.test.ts',
  'test/reconciliation/{reconciliation,sessions,at-once,pages-model,strangers,voice-at-service}.test.ts',
  'test/reconciliation/{books-read,mark}.test.ts',
  'test/whole/shards/two-processes.databases.test.ts',
  'test/spend/{exports,sums}.test.ts',
  'test/voice/consent-book.test.ts',
];
/** Those among them that look into SQLite's files, follow the turns of a database that answers at once, or are not about it. */
const ON_SQLITE_ONLY = [
  'test/jobs/{capacity,old-database,queue-board}.test.ts',
  'test/jobs/{all-commands,few-looks,result-cards,service-words,voice-catalog}.test.ts',
  'test/bot/people/members/forgotten.test.ts',
];
/**
 * What is heard must not wait for a processor: these run when all others are through, one for each of two processors,
 * of which each takes a fifth.
 */
const IN_REAL_TIME = [
  'test/hostile/*.test.ts',
  'test/voice/{voice-command,stage,three-voices,lossy-channel,hostile-channel,broken-streams,odd-services,granted-limit}.test.ts',
];
/** What measures or changes the process that it runs in: each of these has one of its own. */
const APART = [
  'test/engine/{cpu-photo-swap,render-pool,nets/unusable-runtime,video/codec-choice,voice/voice-converter}.test.ts',
  'test/media-api/{account,uploads}.test.ts',
  'test/media-server/http/abuse.alone.test.ts',
  'test/media/{large-clip,many-parts,marks/mark-file}.test.ts',
  'test/bot/sessions/voice-swap/faults.alone.test.ts',
];
/** What only PostgreSQL has. */
const ON_POSTGRES = 'test/postgres/*.test.ts';

/** What is done in Chromium: one page after the other. */
const IN_BROWSER = 'test/browser/*.test.ts';

const hasPostgres = (process.env['TEST_POSTGRES_URL'] ?? '') !== '';
if (!hasPostgres) {
  process.stdout.write('Skipping all cases on PostgreSQL: TEST_POSTGRES_URL names no server\n');
}

const sqlite: ViteUserConfig = {
  test: {
    name: 'sqlite',
    include: ['test/**/*.test.ts'],
    exclude: [ON_POSTGRES, ...IN_REAL_TIME, IN_BROWSER, ...APART],
  },
};
const apart: ViteUserConfig = { test: { name: 'apart', include: APART, isolate: true } };
const postgres: ViteUserConfig = {
  test: {
    name: 'postgres',
    include: [...ON_BOTH, ON_POSTGRES],
    exclude: ON_SQLITE_ONLY,
    env: { TEST_DATABASE: 'postgres' },
  },
};
const realTime: ViteUserConfig = {
  test: {
    name: 'real-time',
    include: IN_REAL_TIME,
    maxWorkers: 2,
    sequence: { groupOrder: 1 },
    // The machine may be another's for a second even then; a fault of ours is there every time.
    retry: 2,
  },
};

const browser: ViteUserConfig = {
  // Calls and cameras run in real time there too.
  test: { name: 'browser', include: [IN_BROWSER], maxWorkers: 1, sequence: { groupOrder: 2 }, retry: 2 },
};

const config: ViteUserConfig = defineConfig({
  test: {
    root: join(import.meta.dirname, '..'),
    globalSetup: ['test/helpers/build-pages.ts'],
    setupFiles: ['test/helpers/patience.ts', 'test/helpers/property-seed.ts'],
    env: COMPILED,
    testTimeout: 60_000,
    hookTimeout: 30_000,
    // vitest itself gives up after a second, which a busy machine may need.
    expect: { poll: { timeout: 20_000 } },
    // Modules hold no state here, and what they take to load and to warm up is half of what most files cost.
    isolate: false,
    // Twice as many as the machine has processors, as most tests wait for a server or a clock half of the time.
    maxWorkers: 4,
    projects: [sqlite, apart, ...(hasPostgres ? [postgres] : []), realTime, browser].map((project) => ({
      extends: true,
      ...project,
    })),
  },
});

export default config;
