import { expect, test } from 'vitest';
import { playChain } from './random-kills.ts';

const KILLS = 20;

test(
  `after ${KILLS} kills at random moments with 20 jobs in flight nothing is lost or doubled`,
  { timeout: 600_000 },
  async () => {
    const result = await playChain({ kills: KILLS, seed: 4, inFlight: 20 });

    expect(result.problems).toEqual([]);
    const { commands, delivered, explained, abandoned, unheard } = result;
    expect(delivered + explained + abandoned + unheard).toBe(commands);
    // The kills did interrupt jobs.
    expect(delivered).toBeGreaterThan(20);
    expect(Object.keys(result.openAtKill).length).toBeGreaterThan(4);
  },
);
