import { type ChildProcess, execFile, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { promisify } from 'node:util';
import { childEnvironment } from '../../../base/child-environment.ts';
import { type ChildLimits, limitPrefix } from '../../../base/children/child-limits.ts';

const TEXT_BYTES_MAX = 1 << 20;
const ERROR_OUTPUT_LENGTH_MAX = 2_000;
const ANSWER_TIMEOUT_MS = 30_000;
/**
 * A 4K encoder takes about 2 GB. The processor time is enough for half an hour on eight processors.
 */
const LIMITS: ChildLimits = { memoryMib: 4_096, cpuSeconds: 4 * 3_600 };

/**
 * Returns the standard output of a program. Throws if the program fails, prints more than 1 MB or takes longer than
 * 30 s.
 */
export async function outputOf(program: string, args: readonly string[]): Promise<string> {
  const limits = { maxBuffer: TEXT_BYTES_MAX, timeout: ANSWER_TIMEOUT_MS, killSignal: 'SIGKILL' } as const;
  const [file, ...before] = [...limitPrefix(LIMITS), program];
  const options = { ...limits, env: childEnvironment() };
  const { stdout } = await promisify(execFile)(file, [...before, ...args], options);
  return stdout;
}

/**
 * A child process with limits and without this process's environment. It is killed when disposed. It inherits this
 * process's isolation.
 */
export class ChildProgram implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly #ended: Promise<number | null>;
  #errorOutput = '';

  /** Starts the program. With `extraInput`, its file descriptor 3 is a pipe from this process. */
  constructor(program: string, args: readonly string[], options: { readonly extraInput?: boolean } = {}) {
    const stdio = ['pipe', 'pipe', 'pipe', ...(options.extraInput ? ['pipe' as const] : [])] as const;
    const [file, ...before] = [...limitPrefix(LIMITS), program];
    this.#child = spawn(file, [...before, ...args], { stdio: [...stdio], env: childEnvironment() });
    this.#ended = new Promise((resolve) => {
      this.#child.once('error', (error) => {
        this.#errorOutput += error.message;
        resolve(null);
      });
      this.#child.once('close', resolve);
    });
    this.#child.stderr?.on('data', (text: Buffer) => {
      this.#errorOutput = (this.#errorOutput + text.toString()).slice(0, ERROR_OUTPUT_LENGTH_MAX);
    });
    // A broken pipe only means that the program has ended, which `end` reports.
    for (const stream of this.#child.stdio) stream?.on('error', () => undefined);
  }

  /** The program's standard output. */
  get output(): Readable {
    return requirePipe(this.#child.stdout);
  }

  /** The program's standard input. */
  get input(): Writable {
    return requirePipe(this.#child.stdin);
  }

  /** The pipe to the program's file descriptor 3. */
  get extraInput(): Writable {
    return requirePipe(this.#child.stdio[3] as Writable | null | undefined);
  }

  /** Waits until the program ends. Returns whether it succeeded. */
  async end(): Promise<boolean> {
    return (await this.#ended) === 0;
  }

  /** The program's standard error output, shortened. */
  get errorOutput(): string {
    return this.#errorOutput;
  }

  /** Writes to the program and waits while its input is full. Returns false if the program has ended. */
  async write(bytes: Uint8Array): Promise<boolean> {
    const { input } = this;
    if (!input.writable) return false;
    if (input.write(bytes)) return true;
    return await new Promise((resolve) => {
      const settle = (): void => {
        input.off('drain', settle).off('close', settle);
        resolve(input.writable);
      };
      input.once('drain', settle).once('close', settle);
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill('SIGKILL');
    for (const stream of this.#child.stdio) stream?.destroy();
    await this.#ended;
  }
}

function requirePipe<T>(stream: T | null | undefined): T {
  if (!stream) throw new TypeError('Cannot use a pipe that was not requested');
  return stream;
}
