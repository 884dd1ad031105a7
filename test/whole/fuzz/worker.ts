import { type ChildProcess, fork } from 'node:child_process';
import { mkdtempSync, existsSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { COMPILED } from '../../helpers/compiled.ts';
import { CURRENT_FILE, CURRENT_HEAD_BYTES, type Order, type Report } from './orders.ts';
import type { Tally } from './schedule.ts';

/** One input takes milliseconds; this long without a sign of life is a hang, even on a busy machine. */
const SILENCE_MS_MAX = 60_000;
const HEAP_MB_MAX = 512;
/** Files are written in memory, because there are half a million of them. */
const MEMORY_FOLDER = '/dev/shm';

/** An unwanted behaviour, and the input that shows it. */
export interface Found {
  readonly target: string;
  readonly what: string;
  readonly index: number;
  readonly input: Buffer;
}

/** A process that tries inputs, and is replaced when it dies. */
export class Worker implements Disposable {
  readonly #folder = mkdtempSync(
    join(existsSync(MEMORY_FOLDER) ? MEMORY_FOLDER : tmpdir(), 'masquerade-fuzz-'),
  );
  readonly #onFound: (found: Found) => void;
  #child: ChildProcess | undefined;

  constructor(onFound: (found: Found) => void) {
    this.#onFound = onFound;
  }

  /** Resolves when all the order's inputs have been tried. Inputs that end or hang the process are findings. */
  async obey(order: Order): Promise<Tally> {
    const total = { tried: 0, accepted: 0, ms: 0 };
    for (let rest: Order | undefined = order; rest;) {
      const ended = await this.#try(rest);
      total.tried += ended.tally.tried;
      total.accepted += ended.tally.accepted;
      total.ms += ended.tally.ms;
      rest = ended.rest;
    }
    return total;
  }

  [Symbol.dispose](): void {
    this.#child?.kill('SIGKILL');
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #try(order: Order): Promise<{ readonly tally: Tally; readonly rest: Order | undefined }> {
    const child = (this.#child ??= this.#start());
    const startMs = performance.now();
    return new Promise((resolve) => {
      let isHung = false;
      const kill = (): void => {
        isHung = true;
        child.kill('SIGKILL');
      };
      let watchdog = setTimeout(kill, SILENCE_MS_MAX);
      const onMessage = (said: Report): void => {
        clearTimeout(watchdog);
        watchdog = setTimeout(kill, SILENCE_MS_MAX);
        if (said.say === 'found') {
          const { what, index, input } = said;
          this.#onFound({ target: order.target, what, index, input: Buffer.from(input, 'base64') });
        } else if (said.say === 'done') end({ tally: said, rest: undefined });
      };
      const onExit = (code: number | null, signal: string | null): void => {
        this.#child = undefined;
        const what = isHung ? 'it hangs' : `its process dies (${signal ?? `code ${code}`})`;
        end(this.#died(order, what, performance.now() - startMs));
      };
      const end = (result: { readonly tally: Tally; readonly rest: Order | undefined }): void => {
        clearTimeout(watchdog);
        child.off('message', onMessage).off('exit', onExit);
        resolve(result);
      };
      child.on('message', onMessage).on('exit', onExit);
      child.send(order);
    });
  }

  /** Reports the input that ended the process, and continues with the inputs after it. */
  #died(order: Order, what: string, ms: number): { readonly tally: Tally; readonly rest: Order | undefined } {
    const current = join(this.#folder, CURRENT_FILE);
    const noted = existsSync(current) ? readFileSync(current) : Buffer.alloc(CURRENT_HEAD_BYTES);
    const index = noted.readUInt32BE();
    this.#onFound({ target: order.target, what, index, input: noted.subarray(CURRENT_HEAD_BYTES) });
    const { inputs } = order;
    if ('path' in inputs) return { tally: { tried: 1, accepted: 0, ms }, rest: undefined };
    const from = Math.max(inputs.from, index) + 1;
    const tally = { tried: from - inputs.from, accepted: 0, ms };
    return { tally, rest: from < inputs.to ? { ...order, inputs: { ...inputs, from } } : undefined };
  }

  #start(): ChildProcess {
    const child = fork(join(import.meta.dirname, 'child.ts'), [this.#folder], {
      execArgv: ['--expose-gc', `--max-old-space-size=${HEAP_MB_MAX}`],
      env: { ...process.env, ...COMPILED },
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    return child;
  }
}
