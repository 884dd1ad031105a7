import { expect, test } from 'vitest';
import { DESCRIPTORS_MAX, MEGABYTES_MAX, SERVER_NAMES, playHeld } from './play-held.ts';

test.each(SERVER_NAMES)(
  '%s serves everyone while connections of every kind are held',
  { timeout: 180_000 },
  async (name) => {
    const figures = await playHeld(name, { sockets: 250, lookMs: 500 });
    expect(figures.failed).toEqual([]);
    expect(Math.min(...Object.values(figures.answered))).toBeGreaterThan(0);
    expect(figures.residentMegabytesMax).toBeLessThan(MEGABYTES_MAX);
    expect(figures.descriptorsMax).toBeLessThan(DESCRIPTORS_MAX[name]);
  },
);
