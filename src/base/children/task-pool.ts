import { BoundedQueue } from '../bounded-queue.ts';
import { type Clock, DeadlineError, type Timer } from '../clock.ts';
import { ServiceError } from '../errors.ts';
import { LinkedSignal } from '../linked-signal.ts';
import type { Logger } from '../log.ts';
import type { Confinement } from './confinement.ts';
import { BrokenChildError, TaskChild, type TaskChildOptions } from './task-child.ts';

interface TaskPoolOptions extends TaskChildOptions {
  readonly confinement: Confinement;
  readonly clock: Clock;
  readonly log: Logger;
  /** The maximum number of children that may work at the same time. */
  readonly childrenMax: number;
  /** The maximum number of children that may work for one owner. Default: all. */
  readonly childrenPerOwner?: number;
  /** The maximum number of tasks that may wait for a child. Further tasks are rejected. */
  readonly waitingMax: number;
  /** The longest time that one task may take, in milliseconds, not counting its wait for a child. */
  readonly timeoutMs: number;
  /** The number of tasks after which a child is replaced. */
  readonly tasksMax: number;
  /** A child that holds more memory than this ends after its task. Default 192 MiB. */
  readonly keptMib?: number;
}

interface TaskTurn {
  /** The time limit in milliseconds, including the wait for a child. Default: no limit. */
  readonly withinMs?: number;
  /** The owner of the task. The owner with the fewest running tasks is served next. Default: no owner. */
  readonly owner?: string | undefined;
}

type TaskPoolErrorCode = 'pool_full' | 'pool_closed' | 'child_not_started';

/** A task was not started or not finished, for a reason that has nothing to do with the task. */
class TaskPoolError extends ServiceError<TaskPoolErrorCode> {}

interface Place {
  readonly owner: string | undefined;
  readonly take: () => void;
  readonly refuse: (error: unknown) => void;
}

/** A child that is idle for this long is ended, to free its memory. */
const IDLE_MS = 60_000;
const START_TIMEOUT_MS = 30_000;
/** The default of `keptMib`, and the share of its CPU time limit that a child may use before it is replaced. */
const KEPT_MIB_MAX = 192;
const CPU_SHARE_MAX = 0.5;
/** The share of `waitingMax` that one owner's waiting tasks may take up. */
const OWNER_SHARE_MAX = 0.5;

/**
 * Runs tasks in confined children. The owner with the fewest running tasks is served next, so that the many files of
 * one owner do not delay the others; among equals, the oldest task is next. Children are started when there is work,
 * and are reused for later tasks. A task that breaks its child does not affect other tasks.
 */
export class TaskPool implements AsyncDisposable {
  readonly #options: TaskPoolOptions;
  readonly #waiting: BoundedQueue<Place>;
  readonly #idle: TaskChild[] = [];
  readonly #children = new Set<TaskChild>();
  /** The owners of the running tasks. */
  readonly #atWork: (string | undefined)[] = [];
  #idleTimer: Timer | undefined;
  #isDisposed = false;

  constructor(options: TaskPoolOptions) {
    this.#options = options;
    this.#waiting = new BoundedQueue(options.waitingMax);
  }

  /**
   * Returns the answer to `task`. Throws `TaskFailedError` if the task failed; `BrokenChildError` if it broke a new
   * child or took too long; `TaskPoolError` if the pool is full or closed, or no child can be started; `DeadlineError`
   * if it is not done within `withinMs`; or the signal's reason. After an error, no child works on the task any longer.
   */
  async run(task: unknown, signal?: AbortSignal, { withinMs, owner }: TaskTurn = {}): Promise<unknown> {
    using linked = new LinkedSignal(signal);
    if (withinMs === undefined) return await this.#run(task, linked.signal, owner);
    const late = (): void => linked.abort(new DeadlineError(withinMs));
    const timer = this.#options.clock.after(withinMs, late);
    try {
      return await this.#run(task, linked.signal, owner);
    } finally {
      timer.cancel();
    }
  }

  async #run(task: unknown, signal: AbortSignal, owner: string | undefined): Promise<unknown> {
    signal.throwIfAborted();
    await this.#takePlace(signal, owner);
    try {
      const kept = this.#idle.pop();
      if (!kept) return await this.#runInNew(task, signal);
      try {
        return await this.#runIn(kept, task, signal);
      } catch (error) {
        if (!(error instanceof BrokenChildError)) throw error;
      }
      // An earlier task may have left the child broken, so the task gets a new child.
      return await this.#runInNew(task, signal);
    } finally {
      this.#leavePlace(owner);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isDisposed = true;
    this.#idleTimer?.cancel();
    for (let next = this.#waiting.shift(); next; next = this.#waiting.shift()) next.refuse(closed());
    await this.#endAll(this.#children);
  }

  async #takePlace(signal: AbortSignal, owner: string | undefined): Promise<void> {
    if (this.#isDisposed) throw closed();
    if (this.#mayWork(owner)) {
      this.#atWork.push(owner);
      return;
    }
    const turn = Promise.withResolvers<void>();
    const place: Place = { owner, take: turn.resolve, refuse: turn.reject };
    if (this.#hasManyWaiting(owner) || !this.#waiting.push(place)) {
      throw new TaskPoolError('pool_full', 'Cannot start a task: too many other tasks are waiting');
    }
    const leave = (): void => {
      if (this.#waiting.remove((other) => other === place)) place.refuse(signal.reason);
    };
    signal.addEventListener('abort', leave, { once: true });
    try {
      await turn.promise;
    } finally {
      signal.removeEventListener('abort', leave);
    }
  }

  #leavePlace(owner: string | undefined): void {
    this.#atWork.splice(this.#atWork.indexOf(owner), 1);
    const next = this.#waiting.shiftLowest((place) =>
      this.#mayWork(place.owner) ? this.#countAtWork(place.owner) : Infinity,
    );
    if (!next) return;
    this.#atWork.push(next.owner);
    next.take();
  }

  #mayWork(owner: string | undefined): boolean {
    const { childrenMax, childrenPerOwner = childrenMax } = this.#options;
    return this.#atWork.length < childrenMax && this.#countAtWork(owner) < childrenPerOwner;
  }

  /** Returns the number of the owner's running tasks. Tasks without an owner are not counted for anyone. */
  #countAtWork(owner: string | undefined): number {
    return owner === undefined ? 0 : this.#atWork.filter((other) => other === owner).length;
  }

  #hasManyWaiting(owner: string | undefined): boolean {
    if (owner === undefined) return false;
    const most = Math.max(1, Math.floor(this.#options.waitingMax * OWNER_SHARE_MAX));
    return this.#waiting.count((place) => place.owner === owner) >= most;
  }

  async #runInNew(task: unknown, signal: AbortSignal): Promise<unknown> {
    return this.#runIn(await this.#start(signal), task, signal);
  }

  async #runIn(child: TaskChild, task: unknown, signal: AbortSignal): Promise<unknown> {
    using watch = this.#watch(child, this.#options.timeoutMs, signal);
    try {
      return await child.run(task);
    } catch (error) {
      throw this.#interruption(signal) ?? (watch.isLate ? new BrokenChildError('took too long') : error);
    } finally {
      this.#putBack(child);
    }
  }

  async #start(signal: AbortSignal): Promise<TaskChild> {
    const { confinement, limits } = this.#options;
    const command = await confinement.command(process.execPath, limits);
    const early = this.#interruption(signal);
    if (early !== undefined) throw early;
    const child = new TaskChild(command, this.#options);
    this.#children.add(child);
    void child.ended.then(() => this.#forget(child));
    using _watch = this.#watch(child, START_TIMEOUT_MS, signal);
    try {
      await child.ready;
      return child;
    } catch (cause) {
      const interruption = this.#interruption(signal);
      if (interruption !== undefined) throw interruption;
      const { module, log } = this.#options;
      log.error({ child: module.pathname.split('/').at(-1), error: cause }, 'A child could not be started');
      throw new TaskPoolError('child_not_started', 'Cannot start a task: no child can be started', { cause });
    }
  }

  /**
   * Kills the child if it takes too long or the signal aborts. The promise of the task or of the start settles when the
   * child is gone.
   */
  #watch(child: TaskChild, limitMs: number, signal: AbortSignal): Disposable & { readonly isLate: boolean } {
    let isLate = false;
    const kill = (): void => child.kill();
    const timer = this.#options.clock.after(limitMs, () => {
      isLate = true;
      kill();
    });
    if (signal.aborted) kill();
    signal.addEventListener('abort', kill, { once: true });
    return {
      get isLate() {
        return isLate;
      },
      [Symbol.dispose]: () => {
        timer.cancel();
        signal.removeEventListener('abort', kill);
      },
    };
  }

  /** Returns the reason why this process interrupted the child, or undefined if it did not. */
  #interruption(signal: AbortSignal): unknown {
    if (signal.aborted) return signal.reason;
    return this.#isDisposed ? closed() : undefined;
  }

  #putBack(child: TaskChild): void {
    if (!child.alive) return;
    if (this.#isDisposed || child.tasks >= this.#options.tasksMax || this.#hasUsedMuch(child)) {
      return child.kill();
    }
    child.rest();
    this.#idle.push(child);
    this.#idleTimer?.cancel();
    this.#idleTimer = this.#options.clock.after(IDLE_MS, () => void this.#endAll(this.#idle.splice(0)), {
      background: true,
    });
  }

  #forget(child: TaskChild): void {
    this.#children.delete(child);
    const place = this.#idle.indexOf(child);
    if (place >= 0) this.#idle.splice(place, 1);
  }

  #hasUsedMuch({ use }: TaskChild): boolean {
    const { limits, keptMib = KEPT_MIB_MAX } = this.#options;
    const { cpuSeconds = Infinity } = limits;
    return use.residentBytes > keptMib * 2 ** 20 || use.cpuSeconds > cpuSeconds * CPU_SHARE_MAX;
  }

  async #endAll(children: Iterable<TaskChild>): Promise<void> {
    await Promise.all(
      Array.from(children, (child) => {
        child.kill();
        return child.ended;
      }),
    );
  }
}

function closed(): TaskPoolError {
  return new TaskPoolError('pool_closed', 'Cannot do a task: its owner was disposed');
}
