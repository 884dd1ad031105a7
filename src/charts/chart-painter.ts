import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { BoundedQueue } from '../base/bounded-queue.ts';
import { childEnvironment } from '../base/child-environment.ts';
import { type Clock, withDeadline } from '../base/clock.ts';
import type { Logger } from '../base/log.ts';
import type { ChartRequest, SpendCharts } from './chart-request.ts';

const CHILD = new URL(`chart-child.${import.meta.url.endsWith('.ts') ? 'ts' : 'js'}`, import.meta.url);
const FONTS = new URL('fonts/fonts.conf', import.meta.url);

const AT_ONCE_MAX = 2;
const WAITING_MAX = 20;
/** With the time in line: whoever asked is told within half a minute, with or without picture. */
const TIMEOUT_MS = 20_000;
const HEAP_MIB_MAX = 256;
const PNG_BYTES_MAX = 4_000_000;

interface Waiting {
  readonly begin: () => void;
  readonly giveUp: () => void;
}

/**
 * Draws each chart in a process of its own, which ends with it: neither the chart library nor the work of drawing
 * is ever in the process whose voice channels tick every 20 ms. At most two at once; few wait, the rest get none.
 */
export class ChartPainter implements SpendCharts {
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #children = new Set<ChildProcess>();
  readonly #waiting = new BoundedQueue<Waiting>(WAITING_MAX);
  #running = 0;
  #isDisposed = false;

  constructor({ clock, log }: { readonly clock: Clock; readonly log: Logger }) {
    this.#clock = clock;
    this.#log = log;
  }

  async draw(request: ChartRequest): Promise<Uint8Array | null> {
    try {
      return await withDeadline(this.#clock, TIMEOUT_MS, (signal) => this.#drawInTurn(request, signal));
    } catch (error) {
      if (!this.#isDisposed) this.#log.error({ error }, 'Cannot draw a chart');
      return null;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isDisposed = true;
    for (let next = this.#waiting.shift(); next; next = this.#waiting.shift()) next.giveUp();
    const ends = [...this.#children].map(async (child) => {
      if (child.kill('SIGKILL')) await once(child, 'exit');
    });
    await Promise.all(ends);
  }

  async #drawInTurn(request: ChartRequest, signal: AbortSignal): Promise<Uint8Array | null> {
    if (!(await this.#turn(signal))) return null;
    try {
      return await this.#drawIn(request, signal);
    } finally {
      // Whoever waited gets this place.
      const next = this.#waiting.shift();
      if (next) next.begin();
      else this.#running -= 1;
    }
  }

  /** False where there is no place to wait, it took too long, or nothing is drawn any more. */
  async #turn(signal: AbortSignal): Promise<boolean> {
    if (this.#isDisposed) return false;
    if (this.#running < AT_ONCE_MAX) {
      this.#running += 1;
      return true;
    }
    const turn = Promise.withResolvers<boolean>();
    const place = { begin: () => turn.resolve(true), giveUp: () => turn.resolve(false) };
    if (!this.#waiting.push(place)) return false;
    const leave = (): void => {
      if (this.#waiting.remove((other) => other === place)) place.giveUp();
    };
    signal.addEventListener('abort', leave, { once: true });
    try {
      return await turn.promise;
    } finally {
      signal.removeEventListener('abort', leave);
    }
  }

  async #drawIn(request: ChartRequest, signal: AbortSignal): Promise<Uint8Array> {
    signal.throwIfAborted();
    const child = fork(fileURLToPath(CHILD), [], {
      // With nothing but these fonts the picture is the same everywhere.
      env: { ...childEnvironment(), FONTCONFIG_FILE: fileURLToPath(FONTS), PANGOCAIRO_BACKEND: 'fontconfig' },
      execArgv: [`--max-old-space-size=${HEAP_MIB_MAX}`],
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      serialization: 'advanced',
    });
    this.#children.add(child);
    const kill = (): void => void child.kill('SIGKILL');
    signal.addEventListener('abort', kill, { once: true });
    try {
      const answer = await new Promise<unknown>((resolve, reject) => {
        child.once('error', reject);
        child.once('exit', (code) => reject(new Error(`Cannot draw: the process ended with ${code}`)));
        child.once('message', resolve);
        child.send(request, (error) => error && reject(error));
      });
      return pictureOf(answer);
    } finally {
      signal.removeEventListener('abort', kill);
      kill();
      this.#children.delete(child);
    }
  }
}

function pictureOf(answer: unknown): Uint8Array {
  if (answer instanceof Uint8Array && answer.byteLength <= PNG_BYTES_MAX) return answer;
  throw new TypeError('Cannot use a chart: it is no picture, or too large');
}
