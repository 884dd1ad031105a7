import { Worker } from 'node:worker_threads';
import type { Clock, Timer } from '../../../base/clock.ts';
import { RenderError } from '../render-error.ts';
import { type TaskMessage, type WorkerMessage, workerMessageSchema } from './render-protocol.ts';

/** How long a cancelled render may take to stop. */
const CANCEL_MS = 5_000;

type Answer = Extract<WorkerMessage, { kind: 'done' | 'failed' }>;

/**
 * One worker thread that renders one task at a time. It dies when it crashes, is disposed or overruns a
 * time limit; then every wait on it fails and `alive` is false for good.
 */
export class RenderWorker implements AsyncDisposable {
  readonly #worker: Worker;
  readonly #clock: Clock;
  readonly #death = Promise.withResolvers<void>();
  #onProgress: () => void = () => undefined;
  #answer: PromiseWithResolvers<Answer> | undefined;
  #alive = true;

  private constructor(worker: Worker, clock: Clock) {
    this.#worker = worker;
    this.#clock = clock;
    worker.on('message', (message) => this.#receive(message));
    worker.on('messageerror', () => this.#die('its answer could not be read'));
    worker.on('error', (error) => this.#die(error instanceof Error ? error.message : 'unknown error'));
    worker.on('exit', (code) => this.#die(`exit code ${code}`));
  }

  /** Starts a thread and waits until it can work. Throws when it cannot, or takes longer than `timeoutMs`. */
  static async start(
    url: URL,
    clock: Clock,
    timeoutMs: number,
    workerData: unknown = null,
  ): Promise<RenderWorker> {
    const worker = new Worker(url, { workerData });
    const ready = Promise.withResolvers<void>();
    const timer = clock.after(timeoutMs, () => ready.reject(new Error(`No answer within ${timeoutMs} ms`)));
    const onMessage = (message: unknown): void => {
      const parsed = workerMessageSchema.parse(message);
      if (parsed.kind === 'ready') ready.resolve();
      else if (parsed.kind === 'unable') ready.reject(new Error(parsed.message));
    };
    const onExit = (code: number): void => ready.reject(new Error(`The worker ended with code ${code}`));
    worker.on('message', onMessage).on('error', ready.reject).on('exit', onExit);
    try {
      await ready.promise;
    } catch (error) {
      await worker.terminate();
      throw error;
    } finally {
      timer.cancel();
      worker.off('message', onMessage).off('error', ready.reject).off('exit', onExit);
    }
    worker.unref();
    return new RenderWorker(worker, clock);
  }

  get alive(): boolean {
    return this.#alive;
  }

  /** Resolves once `alive` is false. */
  get death(): Promise<void> {
    return this.#death.promise;
  }

  /**
   * Renders `task`. Throws `RenderError`; `processing_failed` when the thread died, ran over `timeoutMs` or made no
   * progress for `stallMs`. Once the signal aborts the thread has a moment to stop; it dies if it does not.
   */
  async run(
    task: unknown,
    timeoutMs: number,
    signal: AbortSignal,
    stallMs: number = timeoutMs,
  ): Promise<unknown> {
    if (this.#answer) throw new TypeError('Cannot give a worker two tasks at once');
    if (!this.#alive) throw died('it is gone');
    const answer = Promise.withResolvers<Answer>();
    this.#answer = answer;
    const timer = this.#clock.after(timeoutMs, () => this.#die(`no answer within ${timeoutMs} ms`));
    let stall: Timer | undefined;
    this.#onProgress = () => {
      stall?.cancel();
      stall = this.#clock.after(stallMs, () => this.#die(`no progress within ${stallMs} ms`));
    };
    this.#onProgress();
    let grace: Timer | undefined;
    const onAbort = (): void => {
      this.#send({ kind: 'cancel' });
      grace = this.#clock.after(CANCEL_MS, () => this.#die('it did not stop when cancelled'));
    };
    this.#worker.ref();
    try {
      this.#send({ kind: 'task', task });
      signal.addEventListener('abort', onAbort, { once: true });
      const outcome = await answer.promise;
      if (outcome.kind === 'failed') throw new RenderError(outcome.failure.code, outcome.failure.message);
      return outcome.result;
    } finally {
      timer.cancel();
      stall?.cancel();
      this.#onProgress = () => undefined;
      grace?.cancel();
      signal.removeEventListener('abort', onAbort);
      this.#answer = undefined;
      this.#worker.unref();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#die('it was stopped');
    await this.#worker.terminate();
  }

  #send(message: TaskMessage): void {
    this.#worker.postMessage(message);
  }

  #receive(message: unknown): void {
    const parsed = workerMessageSchema.safeParse(message);
    if (!parsed.success) this.#die('its answer could not be read');
    else if (parsed.data.kind === 'progress') this.#onProgress();
    else if (parsed.data.kind === 'done' || parsed.data.kind === 'failed') this.#answer?.resolve(parsed.data);
  }

  #die(reason: string): void {
    if (!this.#alive) return;
    this.#alive = false;
    this.#death.resolve();
    this.#answer?.reject(died(reason));
    void this.#worker.terminate();
  }
}

function died(reason: string): RenderError {
  return new RenderError('processing_failed', `Cannot finish the render: the worker died, ${reason}`);
}
