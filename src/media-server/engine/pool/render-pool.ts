import { BoundedQueue } from '../../../base/bounded-queue.ts';
import { Confinement } from '../../../base/children/confinement.ts';
import { type Clock, systemClock } from '../../../base/clock.ts';
import { type Logger, silentLogger } from '../../../base/log.ts';
import { RenderError } from '../render-error.ts';
import { RenderWorker } from './render-worker.ts';

export interface RenderPoolOptions {
  /** The worker's module; it must call `serveTasks`. */
  readonly workerUrl: URL;
  /** The data that each worker receives as JSON in its first argument. Default null. */
  readonly workerData?: unknown;
  /** The number of processes, each with its own networks (about 200 MB). */
  readonly workers: number;
  /** The number of tasks that may wait; further tasks are rejected. Default 64. */
  readonly queueLimit?: number;
  /** The time after which a render is aborted and its worker replaced. Default 60,000 ms. */
  readonly renderTimeoutMs?: number;
  /** The time without progress after which a render is aborted and its worker replaced. Default 60,000 ms. */
  readonly stallTimeoutMs?: number;
  /** How the workers are isolated from this process. Default: as far as this system allows. */
  readonly confinement?: Confinement;
  readonly clock?: Clock;
  readonly logger?: Logger;
}

interface Ticket {
  readonly begin: (worker: RenderWorker) => void;
  readonly refuse: (error: unknown) => void;
}

const START_TIMEOUT_MS = 30_000;

/**
 * Renders tasks in worker processes, first come first served. If a worker dies, its task fails, and the worker is
 * replaced before the next task. Nothing is computed in the calling process.
 */
export class RenderPool implements AsyncDisposable {
  readonly #options: Required<RenderPoolOptions>;
  readonly #queue: BoundedQueue<Ticket>;
  readonly #idle: RenderWorker[] = [];
  readonly #all = new Set<RenderWorker>();
  readonly #starting = new Set<Promise<void>>();
  #disposed: Promise<void> | undefined;

  private constructor(options: Required<RenderPoolOptions>) {
    this.#options = options;
    this.#queue = new BoundedQueue(options.queueLimit);
  }

  /**
   * Starts all workers. Throws the error of the first worker that fails; it is an `UnableError` if something that the
   * worker needs is missing.
   */
  static async start(options: RenderPoolOptions): Promise<RenderPool> {
    const pool = new RenderPool({
      workerData: null,
      queueLimit: 64,
      renderTimeoutMs: 60_000,
      stallTimeoutMs: 60_000,
      confinement: new Confinement({ log: options.logger ?? silentLogger }),
      clock: systemClock,
      logger: silentLogger,
      ...options,
    });
    const starts = Array.from({ length: options.workers }, () => pool.#startWorker());
    const failed = (await Promise.allSettled(starts)).find((start) => start.status === 'rejected');
    if (!failed) return pool;
    await pool[Symbol.asyncDispose]();
    throw failed.reason;
  }

  /**
   * Renders `task` and returns the worker's result. Throws `RenderError`, or the signal's reason once it has aborted. A
   * waiting task is then dropped at once; for a running one, the call ends only when the render has stopped and no
   * longer writes anything.
   */
  async run(task: unknown, signal: AbortSignal): Promise<unknown> {
    signal.throwIfAborted();
    const worker = await this.#takeWorker(signal);
    if (signal.aborted) {
      this.#release(worker);
      throw signal.reason;
    }
    try {
      const { renderTimeoutMs, stallTimeoutMs } = this.#options;
      return await worker.run(task, renderTimeoutMs, signal, stallTimeoutMs);
    } catch (error) {
      signal.throwIfAborted();
      throw error;
    } finally {
      this.#release(worker);
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#disposed ??= this.#dispose();
    return this.#disposed;
  }

  #takeWorker(signal: AbortSignal): Promise<RenderWorker> {
    if (this.#disposed) return Promise.reject(refusal('the engine was stopped'));
    const idle = this.#idle.pop();
    if (idle) return Promise.resolve(idle);
    const waiting = Promise.withResolvers<RenderWorker>();
    const ticket: Ticket = { begin: waiting.resolve, refuse: waiting.reject };
    if (!this.#queue.push(ticket)) return Promise.reject(refusal('too many renders are waiting'));
    const onAbort = (): void => {
      if (this.#queue.remove((other) => other === ticket)) waiting.reject(signal.reason);
    };
    signal.addEventListener('abort', onAbort, { once: true });
    this.#replaceMissing();
    return waiting.promise.finally(() => signal.removeEventListener('abort', onAbort));
  }

  #release(worker: RenderWorker): void {
    if (!worker.alive) return;
    const next = this.#queue.shift();
    if (next) next.begin(worker);
    else this.#idle.push(worker);
  }

  /**
   * Removes a dead worker. A worker that was idle is replaced only when it is needed; otherwise a worker that always
   * dies would be restarted forever.
   */
  #removeDead(worker: RenderWorker): void {
    this.#all.delete(worker);
    const place = this.#idle.indexOf(worker);
    if (place >= 0) this.#idle.splice(place, 1);
    if (this.#disposed) return;
    const { logger, workerUrl } = this.#options;
    logger.warn({ worker: workerUrl.pathname.split('/').at(-1) }, 'A render worker died');
    if (place < 0) this.#replaceMissing();
  }

  #replaceMissing(): void {
    while (!this.#disposed && this.#all.size + this.#starting.size < this.#options.workers) {
      this.#startWorker().catch((error: unknown) => {
        this.#options.logger.error({ error }, 'A render worker could not be started');
        // Without workers, the waiting tasks would never run.
        if (this.#all.size + this.#starting.size === 0) this.#refuseWaiting('no worker could be started');
      });
    }
  }

  #startWorker(): Promise<void> {
    const start = this.#addWorker().finally(() => this.#starting.delete(start));
    this.#starting.add(start);
    return start;
  }

  async #addWorker(): Promise<void> {
    const { workerUrl, workerData } = this.#options;
    const worker = await RenderWorker.start(workerUrl, this.#options, START_TIMEOUT_MS, workerData);
    if (this.#disposed) return await worker[Symbol.asyncDispose]();
    this.#all.add(worker);
    void worker.death.then(() => this.#removeDead(worker));
    this.#release(worker);
  }

  #refuseWaiting(reason: string): void {
    for (let ticket = this.#queue.shift(); ticket; ticket = this.#queue.shift())
      ticket.refuse(refusal(reason));
  }

  async #dispose(): Promise<void> {
    this.#refuseWaiting('the engine was stopped');
    await Promise.allSettled(this.#starting);
    await Promise.all(Array.from(this.#all, (worker) => worker[Symbol.asyncDispose]()));
  }
}

function refusal(reason: string): RenderError {
  return new RenderError('processing_failed', `Cannot render: ${reason}`);
}
