import { expect, test } from 'vitest';
import { TEST_DATABASE } from '../../db/database-url.ts';
import { playBank } from './bank.ts';

const SECONDS = 8;

test(
  'books that several processes keep, killed and paused at random, agree with a model, and no cap is exceeded',
  { timeout: 120_000 },
  async () => {
    const seed = Number(process.env['PROPERTY_SEED'] ?? Date.now() % 1_000_000);
    process.stdout.write(`bank: seed ${seed}\n`);
    const result = await playBank({ on: TEST_DATABASE, seed, seconds: SECONDS });

    expect(result.problems).toEqual([]);
    expect(result.holds).toBeGreaterThan(0);
  },
);
