import { onTestFinished } from 'vitest';
import { Confinement } from '../../src/base/children/confinement.ts';
import { systemClock } from '../../src/base/clock.ts';
import { silentLogger } from '../../src/base/log.ts';
import { MediaPool } from '../../src/bot/media/pool/media-pool.ts';

/** The confinement of child processes in tests. */
export const CONFINEMENT: Confinement = new Confinement({ log: silentLogger });

let shared: MediaPool | undefined;

/**
 * Returns the pool that all tests of this process share, because starting a child takes longer than
 * processing most files. Its children run in real time, whatever the test's clock shows, and end with this
 * process.
 */
export function sharedMediaPool(): MediaPool {
  shared ??= new MediaPool({ confinement: CONFINEMENT, clock: systemClock, log: silentLogger });
  return shared;
}

/**
 * Creates a pool that opens files in child processes and is closed when the test ends. The children run in real time,
 * whatever the test's clock shows.
 */
export function useMediaPool(options: Partial<ConstructorParameters<typeof MediaPool>[0]> = {}): MediaPool {
  const defaults = { confinement: CONFINEMENT, clock: systemClock, log: silentLogger };
  const pool = new MediaPool({ ...defaults, ...options });
  onTestFinished(() => pool[Symbol.asyncDispose]());
  return pool;
}
