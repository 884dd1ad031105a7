import { type ChildProcess, execFile, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { promisify } from 'node:util';
import { childEnvironment } from '../../../base/child-environment.ts';
import { type ChildLimits, limitPrefix } from '../../../base/children/child-limits.ts';

const TEXT_BYTES_MAX = 1 << 20;
const COMPLAINT_LENGTH_MAX = 2_000;
const ANSWER_TIMEOUT_MS = 30_000;
/** An encoder of 4K takes about 2 GB. A render that takes longer than half an hour on eight processors is ended. */
const LIMITS: ChildLimits = { memoryMib: 4_096, cpuSeconds: 4 * 3_600 };

/** What a program printed. Throws when it failed, printed more than 1 MB or took longer than 30 s. */
export async function answerOf(program: string, args: readonly string[]): Promise<string> {
  const limits = { maxBuffer: TEXT_BYTES_MAX, timeout: ANSWER_TIMEOUT_MS, killSignal: 'SIGKILL' } as const;
  const [file, ...before] = [...limitPrefix(LIMITS), program];
  const options = { ...limits, env: childEnvironment() };
  const { stdout } = await promisify(execFile)(file, [...before, ...args], options);
  return stdout;
}

/**
 * A program that runs beside this one, with limits, and without the environment of this one. It is killed when
 * disposed. The isolation of this process also applies to it.
 */
export class ChildProgram implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly #ended: Promise<number | null>;
  #complaint = '';

  /** Starts it; file descriptor 3 is a pipe to it when `extraInput`. */
  constructor(program: string, args: readonly string[], options: { readonly extraInput?: boolean } = {}) {
    const stdio = ['pipe', 'pipe', 'pipe', ...(options.extraInput ? ['pipe' as const] : [])] as const;
    const [file, ...before] = [...limitPrefix(LIMITS), program];
    this.#child = spawn(file, [...before, ...args], { stdio: [...stdio], env: childEnvironment() });
    this.#ended = new Promise((resolve) => {
      this.#child.once('error', (error) => {
        this.#complaint += error.message;
        resolve(null);
      });
      this.#child.once('close', resolve);
    });
    this.#child.stderr?.on('data', (text: Buffer) => {
      this.#complaint = (this.#complaint + text.toString()).slice(0, COMPLAINT_LENGTH_MAX);
    });
    // Its end is told by `end`; a broken pipe is only how it shows.
    for (const stream of this.#child.stdio) stream?.on('error', () => undefined);
  }

  /** What it prints. */
  get output(): Readable {
    return must(this.#child.stdout);
  }

  /** What it reads. */
  get input(): Writable {
    return must(this.#child.stdin);
  }

  /** What it reads from file descriptor 3. */
  get extraInput(): Writable {
    return must(this.#child.stdio[3] as Writable | null | undefined);
  }

  /** Waits for its end; whether it succeeded. */
  async end(): Promise<boolean> {
    return (await this.#ended) === 0;
  }

  /** What it said on stderr, shortened. */
  get complaint(): string {
    return this.#complaint;
  }

  /** Writes and waits while it is behind; false when it has ended. */
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

function must<T>(stream: T | null | undefined): T {
  if (!stream) throw new TypeError('Cannot use a pipe that was not asked for');
  return stream;
}
