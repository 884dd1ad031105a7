import { rm } from 'node:fs/promises';
import { z } from 'zod';
import type { ChildLimits } from '../../../base/children/child-limits.ts';
import type { Confinement } from '../../../base/children/confinement.ts';
import { TaskPool } from '../../../base/children/task-pool.ts';
import { type Clock, DeadlineError } from '../../../base/clock.ts';
import type { Logger } from '../../../base/log.ts';
import type { FitTask, Fitted } from './fit-task.ts';

interface FitterOptions {
  readonly confinement: Confinement;
  readonly clock: Clock;
  readonly log: Logger;
  /** The time limit for one file, including its wait in the queue, in milliseconds. Default 4 min. */
  readonly timeoutMs?: number;
}

const CHILD = new URL(`fit-child.${import.meta.url.endsWith('.ts') ? 'ts' : 'js'}`, import.meta.url);

const TIMEOUT_MS = 240_000;
/**
 * The number of results that may wait. For further results, members get links instead of smaller copies, because
 * encoding occupies all processors.
 */
const WAITING_MAX = 8;
const HEAP_MIB = 512;
const ANSWER_BYTES_MAX = 4_096;
/**
 * The limits are generous, because an encoder keeps dozens of frames of up to 50 MB each in memory, and uses all
 * processors.
 */
const LIMITS: ChildLimits = { memoryMib: 4_096, cpuSeconds: 3_600, fileMib: 1_024, niceness: 10 };

const fitted: z.ZodType<Fitted | null> = z
  .object({ mime: z.enum(['image/jpeg', 'image/webp', 'video/mp4']) })
  .nullable();

/** Makes files small enough for a chat, one at a time, each in its own confined process. */
export class Fitter implements AsyncDisposable {
  readonly #options: FitterOptions;
  readonly #pool: TaskPool;

  constructor(options: FitterOptions) {
    this.#options = options;
    this.#pool = new TaskPool({
      module: CHILD,
      confinement: options.confinement,
      clock: options.clock,
      log: options.log,
      limits: LIMITS,
      heapMib: HEAP_MIB,
      answerBytesMax: ANSWER_BYTES_MAX,
      childrenMax: 1,
      tasksMax: 1,
      waitingMax: WAITING_MAX,
      timeoutMs: TIMEOUT_MS,
    });
  }

  /**
   * Writes a smaller copy of a file. Returns `undefined` if no acceptable copy is small enough, if a codec is missing,
   * or if the time is up. Throws only the signal's reason.
   */
  async fit(
    kind: 'image' | 'video',
    file: Omit<FitTask, 'kind'>,
    signal: AbortSignal,
  ): Promise<Fitted | undefined> {
    const { log, timeoutMs = TIMEOUT_MS } = this.#options;
    const task: FitTask = { kind, ...file };
    try {
      return fitted.parse(await this.#pool.run(task, signal, { withinMs: timeoutMs })) ?? undefined;
    } catch (error) {
      await rm(`${file.toPath}.part`, { force: true });
      signal.throwIfAborted();
      const timedOut = error instanceof DeadlineError;
      log.warn({ kind, timedOut, error }, 'Cannot make a result smaller');
      return undefined;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#pool[Symbol.asyncDispose]();
  }
}
