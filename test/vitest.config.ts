import { join } from 'node:path';
import { type ViteUserConfig, defineConfig } from 'vitest/config';
import { COMPILED } from './helpers/compiled.ts';
import { bundledChildren } from './helpers/programs.ts';
import { WholeFirst } from './helpers/whole-first.ts';

/**
 * The suffix of a test file decides how it runs; `x.test.ts` runs on SQLite and shares a process with others.
 */
const SUFFIXES = {
  /** Runs on SQLite and, where `TEST_POSTGRES_URL` names a server, on PostgreSQL. */
  databases: 'test/**/*.databases.test.ts',
  /** Runs on PostgreSQL only. */
  postgres: 'test/**/*.postgres.test.ts',
  /** Measures or changes its process, so it gets its own process. */
  alone: 'test/**/*.alone.test.ts',
  /** Measures how soon the program answers during an attack, so it needs a processor for itself. */
  realTime: 'test/**/*.real-time.test.ts',
  /** Runs in Chromium, two files at a time, because cameras and microphones run in real time there. */
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
  // These two projects start when all the others are done, and run one after the other.
  { name: 'real-time', include: [realTime], maxWorkers: 1, sequence: { groupOrder: 1 } },
  { name: 'browser', include: [browser], maxWorkers: 2, sequence: { groupOrder: 2 } },
];

const config: ViteUserConfig = defineConfig({
  plugins: [bundledChildren],
  test: {
    root: join(import.meta.dirname, '..'),
    globalSetup: ['test/helpers/build-pages.ts', 'test/helpers/bundle-programs.ts'],
    setupFiles: ['test/helpers/patience.ts', 'test/helpers/property-seed.ts'],
    env: COMPILED,
    testTimeout: 60_000,
    hookTimeout: 30_000,
    // The default of one second is too short on a busy machine.
    expect: { poll: { timeout: 20_000 } },
    // Modules hold no state, and loading them and warming them up takes half the run time of most test files.
    isolate: false,
    // Three times the processors of most machines, because most tests wait for a server or a clock half of the time.
    maxWorkers: 6,
    sequence: { sequencer: WholeFirst },
    projects: projects.map((project) => ({ extends: true, test: { ...project } })),
  },
});

export default config;
