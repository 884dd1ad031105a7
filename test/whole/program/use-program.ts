import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { onTestFinished } from 'vitest';
import { COMPILED } from '../../helpers/compiled.ts';

const MAIN = join(import.meta.dirname, '../../../src/main.ts');

export interface Ended {
  readonly code: number | null;
  readonly stderr: string;
}

/** The `masquerade` program in its own process. Its environment is only `env`, PATH and the compile cache. */
export class Program {
  readonly #child: ChildProcess;
  readonly #lines: string[] = [];
  #stderr = '';

  constructor(args: readonly string[], env: Readonly<Record<string, string>>, cwd: string) {
    this.#child = spawn(process.execPath, [MAIN, ...args], {
      cwd,
      env: { PATH: process.env['PATH'], ...COMPILED, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#child.stderr?.on('data', (data: Buffer) => (this.#stderr += data.toString()));
    if (this.#child.stdout) {
      createInterface({ input: this.#child.stdout }).on('line', (line) => this.#lines.push(line));
    }
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** Whether the program is still running. */
  get isAlive(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  get stderr(): string {
    return this.#stderr;
  }

  /** Resolves with the program's first line on stdout, parsed as JSON. Rejects if the program ends first. */
  async ready(): Promise<Record<string, unknown>> {
    while (this.#lines.length === 0) {
      if (this.#child.exitCode !== null) throw new Error(`The program ended: ${this.#stderr}`);
      await Promise.race([once(this.#child.stdout ?? this.#child, 'data'), once(this.#child, 'exit')]);
      await new Promise((resolve) => setImmediate(resolve));
    }
    return JSON.parse(this.#lines[0] ?? '') as Record<string, unknown>;
  }

  /** The lines on stdout so far. */
  get lines(): readonly string[] {
    return this.#lines;
  }

  kill(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  async ended(): Promise<Ended> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) await once(this.#child, 'exit');
    return { code: this.#child.exitCode, stderr: this.#stderr };
  }
}

/** Starts the program; it is killed when the test ends. */
export function useProgram(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  cwd: string,
): Program {
  const program = new Program(args, env, cwd);
  onTestFinished(() => program.kill('SIGKILL'));
  return program;
}
