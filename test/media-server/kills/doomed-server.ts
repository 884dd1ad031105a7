import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { programOf } from '../../helpers/programs.ts';
import { ApiClient } from '../api-client.ts';

const CHILD = new URL('doomed-child.ts', import.meta.url);
/** The data folder's cache for compiled code. It speeds up server starts, which are most of the test's cost. */
const CACHE = 'compiled';

/** A server process that has loaded everything and waits for `begin`. */
export class DoomedServer {
  readonly #child: ChildProcess;
  readonly #exited: Promise<unknown>;

  constructor(dataDir: string, seed: number) {
    this.#child = spawn(process.execPath, [fileURLToPath(programOf(CHILD)), dataDir, String(seed)], {
      stdio: ['pipe', 'pipe', 'inherit'],
      env: { PATH: process.env['PATH'], NODE_COMPILE_CACHE: join(dataDir, CACHE) },
    });
    this.#exited = once(this.#child, 'exit');
    // The process may be killed before it has read the message.
    this.#child.stdin?.on('error', () => undefined);
  }

  /** Starts the server with its clock `laterMs` ahead of the wall clock. */
  begin(laterMs: number): void {
    this.#child.stdin?.write(`${laterMs}\n`);
  }

  /** Returns a client as soon as the server answers. */
  async ready(): Promise<ApiClient> {
    const [line] = (await once(this.#child.stdout ?? this.#child, 'data')) as [Buffer];
    const { baseUrl, apiKey } = JSON.parse(line.toString()) as { baseUrl: string; apiKey: string };
    return new ApiClient(baseUrl, apiKey);
  }

  /** Kills the process with `kill -9`, and resolves when it has exited. */
  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#exited;
  }
}
