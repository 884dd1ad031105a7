import { onTestFinished } from 'vitest';
import { Confinement } from '../src/base/children/confinement.ts';
import { systemClock } from '../src/base/clock.ts';
import { silentLogger } from '../src/base/log.ts';
import { MediaPool, type MediaPoolOptions } from '../src/media/pool/media-pool.ts';

/** What children of tests are confined by. */
export const CONFINEMENT: Confinement = new Confinement({ log: silentLogger });

/** Opens files in children until the test ends. They work in real time, whatever the test's clock shows. */
export function useMediaPool(options: Partial<MediaPoolOptions> = {}): MediaPool {
  const defaults = { confinement: CONFINEMENT, clock: systemClock, log: silentLogger };
  const pool = new MediaPool({ ...defaults, ...options });
  onTestFinished(() => pool[Symbol.asyncDispose]());
  return pool;
}
