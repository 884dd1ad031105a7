import { join } from 'node:path';
import { type ViteUserConfig, defineConfig } from 'vitest/config';
import { COMPILED } from './helpers/compiled.ts';
import { WholeFirst } from './helpers/whole-first.ts';

/**
 * The suffix of a test file decides how it runs; `x.test.ts` runs on SQLite, beside others in one process.
 */
const SUFFIXES = {
  /** Runs on SQLite and, where `TEST_POSTGRES_URL` names a server, on PostgreSQL. */
  databases: 'test/**/*.databases.test.ts',
  /** Runs on PostgreSQL only. */
  postgres: 'test/**/*.postgres.test.ts',
  /** Measures or changes its process, so that it gets its own. */
  alone: 'test/**/*.alone.test.ts',
  /** Measures how soon the program answers during an attack, so it needs a processor for itself. */
  realTime: 'test/**/*.real-time.test.ts',
  /** Runs in Chromium, one page after the other. */
  browser: 'test/**/*.browser.test.ts',
} as const;

const hasPostgres = (process.env['TEST_POSTGRES_URL'] ?? '') !== '';
if (!hasPostgres) {
  process.stdout.write('Skipping all cases on PostgreSQL: TEST_POSTGRES_URL names no server\n');
}

const { databases, postgres, alone, realTime, browser } = SUFFIXES;
const projects: readonly ViteUserConfig['test'][] = [
  { name: 'sqlite', include: ['test/**/*.test.ts'], exclude: [postgres, alone, realTime, browser] },
  { name: 'alone', include: [alone], isolate: true },
  ...(hasPostgres
    ? [{ name: 'postgres', include: [databases, postgres], env: { TEST_DATABASE: 'postgres' } }]
    : []),
  // These start when all others are done, one after the other.
  { name: 'real-time', include: [realTime], maxWorkers: 1, sequence: { groupOrder: 1 } },
  { name: 'browser', include: [browser], maxWorkers: 1, sequence: { groupOrder: 2 } },
];

const config: ViteUserConfig = defineConfig({
  test: {
    root: join(import.meta.dirname, '..'),
    globalSetup: ['test/helpers/build-pages.ts', 'test/helpers/bundle-programs.ts'],
    setupFiles: ['test/helpers/patience.ts', 'test/helpers/property-seed.ts'],
    env: COMPILED,
    testTimeout: 60_000,
    hookTimeout: 30_000,
    // The default of one second is too short on a busy machine.
    expect: { poll: { timeout: 20_000 } },
    // Modules hold no state, and loading and warming them up takes half of the time of most files.
    isolate: false,
    // Twice the usual number of processors, because most tests spend half of their time waiting for a server or a clock.
    maxWorkers: 4,
    sequence: { sequencer: WholeFirst },
    projects: projects.map((project) => ({ extends: true, test: { ...project } })),
  },
});

export default config;
