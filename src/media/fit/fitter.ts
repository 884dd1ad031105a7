import { type Clock, DeadlineError, withDeadline } from '../../base/clock.ts';
import type { Logger } from '../../base/log.ts';
import { fitClip } from './fit-clip.ts';
import { fitPicture } from './fit-picture.ts';
import type { FitTask, Fitted } from './fit-task.ts';

export interface FitterOptions {
  readonly clock: Clock;
  readonly log: Logger;
  /** How long one file may take, waiting for its turn included, in milliseconds. Default 4 min. */
  readonly timeoutMs?: number;
}

const TIMEOUT_MS = 240_000;
/** Encoding takes whole processors; who has to wait too long gets a link instead. */
const WAITING_MAX = 8;

/** Makes files small enough for a chat, one at a time. */
export class Fitter {
  readonly #options: FitterOptions;
  #last: Promise<unknown> = Promise.resolve();
  #waiting = 0;

  constructor(options: FitterOptions) {
    this.#options = options;
  }

  /**
   * Writes a smaller copy. Undefined when there is none to be had: not with acceptable loss, not with the codecs
   * here, or not in time. Throws only the signal's reason.
   */
  async fit(kind: 'image' | 'video', task: FitTask, signal: AbortSignal): Promise<Fitted | undefined> {
    if (this.#waiting >= WAITING_MAX) return undefined;
    const { clock, log, timeoutMs = TIMEOUT_MS } = this.#options;
    try {
      return await withDeadline(
        clock,
        timeoutMs,
        (inTime) => this.#inTurn(() => (kind === 'image' ? fitPicture : fitClip)(task, inTime), inTime),
        signal,
      );
    } catch (error) {
      signal.throwIfAborted();
      const timedOut = error instanceof DeadlineError;
      log.warn({ kind, timedOut, error }, 'A result could not be made smaller');
      return undefined;
    }
  }

  async #inTurn<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
    const before = this.#last;
    const done = Promise.withResolvers<void>();
    this.#last = done.promise;
    this.#waiting += 1;
    try {
      await before;
      signal.throwIfAborted();
      return await work();
    } finally {
      this.#waiting -= 1;
      done.resolve();
    }
  }
}
