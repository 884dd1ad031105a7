import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { childEnvironment } from '../../../base/child-environment.ts';
import type { ChildLimits } from '../../../base/children/child-limits.ts';
import type { Confinement } from '../../../base/children/confinement.ts';
import type { Clock, Timer } from '../../../base/clock.ts';
import { RenderError } from '../render-error.ts';
import { type TaskMessage, type WorkerMessage, workerMessageSchema } from './render-protocol.ts';

/** How long a cancelled render may take to stop. */
const CANCEL_MS = 5_000;

/**
 * Pictures produce megabytes of garbage. After a few pictures, V8 marks its whole heap, by default in small steps
 * during renders. Marking it all at once is cheaper: a live picture takes a fifth less processor time.
 */
const COLLECT_SELDOM: readonly string[] = ['--no-incremental-marking', '--max-semi-space-size=64'];

/**
 * A worker needs about 200 MB for its networks, and memory for a few frames of a clip; 4K encoders need the most. There
 * is no limit on processor time, because a worker whose task takes too long or makes no progress is killed.
 */
const LIMITS: ChildLimits = { memoryMib: 6_144 };
const HEAP_MIB = 2_048;

/** Something that a worker needs cannot be used on this machine. Trying again would not help. */
export class UnableError extends Error {}

type Answer = Extract<WorkerMessage, { kind: 'done' | 'failed' }>;

/**
 * One worker process that renders one task at a time. It dies if it crashes, is disposed or exceeds a time limit; then
 * all calls that are waiting for it fail, and `alive` is false from then on. It is a process and not a thread, because
 * the whole program would end if a thread were stopped while FFmpeg or sharp was working for it, or if either crashed
 * on a broken clip.
 */
export class RenderWorker implements AsyncDisposable {
  readonly #worker: ChildProcess;
  readonly #clock: Clock;
  readonly #death = Promise.withResolvers<void>();
  #onProgress: () => void = () => undefined;
  #answer: PromiseWithResolvers<Answer> | undefined;
  #alive = true;

  private constructor(worker: ChildProcess, clock: Clock) {
    this.#worker = worker;
    this.#clock = clock;
    worker.on('message', (message) => this.#receive(message));
    worker.on('error', (error) => this.#die(error.message));
    worker.on('exit', (code, signal) => this.#die(endOf(code, signal)));
  }

  /**
   * Starts a process with the module at `url`, which receives `workerData` as JSON in its first argument, and
   * waits until it is ready. `confinement` isolates the process. Throws `UnableError` if the worker reports
   * that it cannot work, and another error if it dies or takes longer than `timeoutMs`.
   */
  static async start(
    url: URL,
    { clock, confinement }: { readonly clock: Clock; readonly confinement: Confinement },
    timeoutMs: number,
    workerData: unknown = null,
  ): Promise<RenderWorker> {
    const command = await confinement.command(process.execPath, LIMITS);
    const worker = fork(fileURLToPath(url), [JSON.stringify(workerData)], {
      serialization: 'advanced',
      env: childEnvironment(),
      execPath: command.file,
      execArgv: [...command.args, ...process.execArgv, ...COLLECT_SELDOM, `--max-old-space-size=${HEAP_MIB}`],
    });
    const ready = Promise.withResolvers<void>();
    const timer = clock.after(timeoutMs, () => ready.reject(new Error(`No answer within ${timeoutMs} ms`)));
    const onMessage = (message: unknown): void => {
      const parsed = workerMessageSchema.parse(message);
      if (parsed.kind === 'ready') ready.resolve();
      else if (parsed.kind === 'unable') ready.reject(new UnableError(parsed.message));
    };
    const onExit = (code: number | null, signal: string | null): void =>
      ready.reject(new Error(`The worker ended, ${endOf(code, signal)}`));
    worker.on('message', onMessage).on('error', ready.reject).on('exit', onExit);
    try {
      await ready.promise;
    } catch (error) {
      await killed(worker);
      throw error;
    } finally {
      timer.cancel();
      worker.off('message', onMessage).off('error', ready.reject).off('exit', onExit);
    }
    unref(worker);
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
   * Renders `task`. Throws `RenderError`, with `processing_failed` if the worker died, exceeded `timeoutMs` or made no
   * progress for `stallMs`. After the signal aborts, the worker has five seconds to stop before it is killed.
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
    this.#worker.channel?.ref();
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
      unref(this.#worker);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#die('it was stopped');
    await killed(this.#worker);
  }

  #send(message: TaskMessage): void {
    this.#worker.send(message);
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
    this.#worker.kill('SIGKILL');
  }
}

function died(reason: string): RenderError {
  return new RenderError('processing_failed', `Cannot finish the render: the worker died, ${reason}`);
}

function endOf(code: number | null, signal: string | null): string {
  return signal === null ? `exit code ${code}` : `signal ${signal}`;
}

/** Allows this process to end while the worker is still waiting for tasks. */
function unref(worker: ChildProcess): void {
  worker.unref();
  worker.channel?.unref();
}

async function killed(worker: ChildProcess): Promise<void> {
  if (worker.pid === undefined || worker.exitCode !== null || worker.signalCode !== null) return;
  worker.ref();
  worker.channel?.ref();
  const ended = once(worker, 'exit');
  // The exit event comes from the confining process, which ends slightly before the worker. The channel closes when
  // both are gone.
  const gone = worker.connected ? once(worker, 'disconnect') : undefined;
  worker.kill('SIGKILL');
  await Promise.all([ended, gone]);
}
