import { onTestFinished } from 'vitest';
import { TaskPool } from '../../../src/base/children/task-pool.ts';
import { systemClock } from '../../../src/base/clock.ts';
import { silentLogger } from '../../../src/base/log.ts';
import { CONFINEMENT } from '../../helpers/use-media-pool.ts';
import type { Deed } from './hostile-child.ts';

/** Creates a pool of hostile children. One child runs at a time unless the options say otherwise. */
export function useTaskPool(options: Partial<ConstructorParameters<typeof TaskPool>[0]> = {}): {
  readonly pool: TaskPool;
  readonly run: (deed: Deed, signal?: AbortSignal) => Promise<unknown>;
} {
  const pool = new TaskPool({
    module: new URL('hostile-child.ts', import.meta.url),
    confinement: CONFINEMENT,
    clock: systemClock,
    log: silentLogger,
    limits: { memoryMib: 128, cpuSeconds: 3 },
    heapMib: 64,
    answerBytesMax: 10_000,
    childrenMax: 1,
    waitingMax: 2,
    timeoutMs: 60_000,
    tasksMax: 100,
    ...options,
  });
  onTestFinished(() => pool[Symbol.asyncDispose]());
  return { pool, run: (deed, signal) => pool.run(deed, signal) };
}
