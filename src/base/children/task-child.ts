import { type ChildProcess, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { childEnvironment } from '../child-environment.ts';
import { ServiceError } from '../errors.ts';
import type { ChildLimits } from './child-limits.ts';
import type { ConfinedCommand } from './confinement.ts';
import { type ChildUse, type TaskMessage, taskMessage } from './task-message.ts';

export interface TaskChildOptions {
  /** The module that the child runs; it must call `serveLines`. */
  readonly module: URL;
  readonly limits: ChildLimits;
  /** V8's heap limit, in MiB. */
  readonly heapMib: number;
  /** The longest answer, in bytes. */
  readonly answerBytesMax: number;
  /** Environment variables in addition to those that every program needs. */
  readonly environment?: Readonly<Record<string, string>>;
}

/** A child ended or violated the protocol during a task. */
export class BrokenChildError extends ServiceError<'child_broken'> {
  constructor(reason: string) {
    super('child_broken', `Cannot finish a task: its process ${reason}`);
  }
}

/** A task failed, but its child can take another task. */
export class TaskFailedError extends ServiceError<'task_failed'> {
  /** The code of a system error, such as `ENOENT`; null for other errors. */
  readonly systemCode: string | null;

  constructor(message: string, systemCode: string | null) {
    super('task_failed', message);
    this.systemCode = systemCode;
  }
}

const NEWLINE = 10;

/** A confined process that does one task at a time. The parent buffers at most `answerBytesMax` of its output. */
export class TaskChild {
  readonly #process: ChildProcess;
  readonly #answerBytesMax: number;
  readonly #ready = Promise.withResolvers<void>();
  readonly #ended = Promise.withResolvers<void>();
  #task: PromiseWithResolvers<unknown> | undefined;
  #rest: Buffer = Buffer.alloc(0);
  #refused: string | undefined;
  #alive = true;
  #use: ChildUse = { residentBytes: 0, cpuSeconds: 0 };
  #tasks = 0;

  /** `file` and `args` are the confined command that runs Node.js. */
  constructor({ file, args }: ConfinedCommand, options: TaskChildOptions) {
    const { module, heapMib, environment, answerBytesMax } = options;
    const child = spawn(file, [...args, `--max-old-space-size=${heapMib}`, fileURLToPath(module)], {
      env: { ...childEnvironment(), ...environment },
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    this.#process = child;
    this.#answerBytesMax = answerBytesMax;
    this.#ready.promise.catch(() => undefined);
    child.once('error', (error) => this.#end(`could not be started: ${error.message}`));
    child.once('close', (code, signal) => this.#end(`ended with ${signal ?? code}`));
    child.stdout?.on('data', (bytes: Buffer) => this.#read(bytes));
    // A broken pipe only shows that the child ended, and `#end` handles that.
    for (const stream of child.stdio) stream?.on('error', () => undefined);
  }

  /** Resolves when the child is ready. Rejects with `BrokenChildError` if the child ended before that. */
  get ready(): Promise<void> {
    return this.#ready.promise;
  }

  /** Resolves when the child and all processes that it started have ended. */
  get ended(): Promise<void> {
    return this.#ended.promise;
  }

  get alive(): boolean {
    return this.#alive;
  }

  /** The memory and processor time that the child reported with its last answer. */
  get use(): ChildUse {
    return this.#use;
  }

  /** The number of tasks that the child has been given. */
  get tasks(): number {
    return this.#tasks;
  }

  /**
   * Returns the answer to `task`. Throws `TaskFailedError` if the task failed, or `BrokenChildError` if the process
   * ended.
   */
  async run(task: unknown): Promise<unknown> {
    if (this.#task) throw new TypeError('Cannot give a child two tasks at once');
    if (!this.#alive) throw new BrokenChildError('is gone');
    const answer = Promise.withResolvers<unknown>();
    this.#task = answer;
    this.#tasks += 1;
    this.#hold(true);
    try {
      this.#process.stdin?.write(`${JSON.stringify(task)}\n`);
      return await answer.promise;
    } finally {
      this.#task = undefined;
    }
  }

  /** Allows this process to end while the child waits for a task. */
  rest(): void {
    this.#hold(false);
  }

  /** Kills the child at once, and keeps this process alive until the child has ended. */
  kill(): void {
    this.#hold(true);
    this.#process.kill('SIGKILL');
  }

  #hold(isHeld: boolean): void {
    for (const handle of [this.#process, ...this.#process.stdio] as readonly (Holding | null | undefined)[]) {
      if (isHeld) handle?.ref?.();
      else handle?.unref?.();
    }
  }

  #read(bytes: Buffer): void {
    this.#rest = Buffer.concat([this.#rest, bytes]);
    for (let end = this.#rest.indexOf(NEWLINE); end >= 0; end = this.#rest.indexOf(NEWLINE)) {
      const line = this.#rest.toString('utf8', 0, end);
      this.#rest = this.#rest.subarray(end + 1);
      this.#hear(line);
    }
    if (this.#rest.length > this.#answerBytesMax) this.#refuse('gave an answer that is too long');
  }

  #hear(line: string): void {
    const message = line.length > this.#answerBytesMax ? undefined : messageOf(line);
    if (!message) return this.#refuse('gave an answer that cannot be read');
    if (message.kind === 'ready') return this.#ready.resolve();
    this.#use = message.use;
    if (message.kind === 'done') this.#task?.resolve(message.result);
    else this.#task?.reject(new TaskFailedError(message.message, message.systemCode));
  }

  /** Ignores everything that the child writes from now on, and ends the child. */
  #refuse(reason: string): void {
    this.#refused = reason;
    this.#rest = Buffer.alloc(0);
    this.#process.stdout?.removeAllListeners('data').resume();
    this.kill();
  }

  #end(reason: string): void {
    if (!this.#alive) return;
    this.#alive = false;
    this.#ended.resolve();
    const broken = new BrokenChildError(this.#refused ?? reason);
    this.#ready.reject(broken);
    this.#task?.reject(broken);
  }
}

/** A child or one of its pipes, with the methods that decide whether it keeps this process alive. */
type Holding = Partial<Pick<ChildProcess, 'ref' | 'unref'>> & (Readable | Writable | ChildProcess);

function messageOf(line: string): TaskMessage | undefined {
  try {
    return taskMessage.parse(JSON.parse(line));
  } catch {
    return undefined;
  }
}
