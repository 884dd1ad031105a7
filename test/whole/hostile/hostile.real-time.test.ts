import { expect, test } from 'vitest';
import { playHostile } from './play-hostile.ts';

test(
  'acknowledges commands, keeps webhooks and loses nothing while members send the worst files and strangers hold connections, read slowly and forge webhooks',
  { timeout: 300_000 },
  async () => {
    const figures = await playHostile({ seconds: 15, sockets: 300, forgedPerSecond: 2_000, worstEach: 2 });

    expect(figures.problems).toEqual([]);
    expect(figures.callers.failed).toEqual([]);
    expect(figures.acknowledgedP99Ms).toBeLessThan(2_000);
    expect(figures.deliveriesKept).toBe(figures.deliveriesSent);
    expect(figures.honestAccepted).toBe(figures.honestCommands);
    expect(figures.refused).toBe(0);
    expect(figures.residentMegabytesMax).toBeLessThan(1_024);
    expect(figures.treeMegabytesMax).toBeLessThan(3_072);
    expect(Object.entries(figures.worst)).toEqual([
      ['photo_swap: succeeded', 2],
      [expect.stringMatching(/^video_swap: failed .*(undecodable|too_complex)/), 2],
    ]);
    expect(figures.warnings).toBeLessThan(20);
    expect(Object.keys(figures.storm.statuses)).not.toContain('200');
  },
);
