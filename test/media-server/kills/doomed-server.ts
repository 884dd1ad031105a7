import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { programOf } from '../../helpers/programs.ts';
import { ApiClient } from '../api-client.ts';

const CHILD = new URL('doomed-child.ts', import.meta.url);
/** In the data folder: compiled code is kept between the many starts, which are what the test costs. */
const CACHE = 'compiled';

/** A server process that has loaded everything and waits to be told to begin. */
export class DoomedServer {
  readonly #child: ChildProcess;
  readonly #exited: Promise<unknown>;

  constructor(dataDir: string, seed: number) {
    this.#child = spawn(process.execPath, [fileURLToPath(programOf(CHILD)), dataDir, String(seed)], {
      stdio: ['pipe', 'pipe', 'inherit'],
      env: { PATH: process.env['PATH'], NODE_COMPILE_CACHE: join(dataDir, CACHE) },
    });
    this.#exited = once(this.#child, 'exit');
    // It may be killed before it has read what it was told.
    this.#child.stdin?.on('error', () => undefined);
  }

  /** Lets it start, `laterMs` after the wall clock. */
  begin(laterMs: number): void {
    this.#child.stdin?.write(`${laterMs}\n`);
  }

  /** Speaks to it as soon as it answers. */
  async ready(): Promise<ApiClient> {
    const [line] = (await once(this.#child.stdout ?? this.#child, 'data')) as [Buffer];
    const { baseUrl, apiKey } = JSON.parse(line.toString()) as { baseUrl: string; apiKey: string };
    return new ApiClient(baseUrl, apiKey);
  }

  /** `kill -9`; resolves when it is gone. */
  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#exited;
  }
}
