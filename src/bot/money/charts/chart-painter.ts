import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import type { ChildLimits } from '../../../base/children/child-limits.ts';
import type { Confinement } from '../../../base/children/confinement.ts';
import { TaskPool } from '../../../base/children/task-pool.ts';
import type { Clock } from '../../../base/clock.ts';
import type { Logger } from '../../../base/log.ts';
import type { ChartRequest, SpendCharts } from './chart-request.ts';

interface ChartPainterOptions {
  readonly confinement: Confinement;
  readonly clock: Clock;
  readonly log: Logger;
  /** How many charts one process draws, one after another. Default 1: each chart gets its own process. */
  readonly chartsPerProcess?: number;
}

const CHILD = new URL(`chart-child.${import.meta.url.endsWith('.ts') ? 'ts' : 'js'}`, import.meta.url);
const FONTS = new URL('fonts/fonts.conf', import.meta.url);

const AT_ONCE_MAX = 2;
const WAITING_MAX = 20;
/** Includes the wait in the queue, so that the member gets a reply within half a minute, with or without a chart. */
const TIMEOUT_MS = 20_000;
const HEAP_MIB_MAX = 256;
const LIMITS: ChildLimits = { memoryMib: 512, cpuSeconds: 60, fileMib: 1 };
/** A process uses about 190 MiB after its first chart. A process that uses more than this limit is replaced. */
const KEPT_MIB = 320;
const PNG_BYTES_MAX = 4_000_000;

const drawn = z.object({ base64: z.base64().max((PNG_BYTES_MAX * 4) / 3) });

/**
 * Draws charts in confined processes, so that neither the chart library nor the drawing delays the bot's own process,
 * which sends voice every 20 ms. It draws at most two charts at the same time; up to 20 more can wait, and any others
 * are refused.
 */
export class ChartPainter implements SpendCharts, AsyncDisposable {
  readonly #log: Logger;
  readonly #pool: TaskPool;
  #isDisposed = false;

  constructor({ confinement, clock, log, chartsPerProcess = 1 }: ChartPainterOptions) {
    this.#log = log;
    this.#pool = new TaskPool({
      module: CHILD,
      confinement,
      clock,
      log,
      limits: LIMITS,
      heapMib: HEAP_MIB_MAX,
      answerBytesMax: PNG_BYTES_MAX * 1.5,
      // With only these fonts, the picture is the same on every machine.
      environment: { FONTCONFIG_FILE: fileURLToPath(FONTS), PANGOCAIRO_BACKEND: 'fontconfig' },
      childrenMax: AT_ONCE_MAX,
      tasksMax: chartsPerProcess,
      keptMib: KEPT_MIB,
      waitingMax: WAITING_MAX,
      timeoutMs: TIMEOUT_MS,
    });
  }

  async draw(request: ChartRequest): Promise<Uint8Array | null> {
    try {
      const { base64 } = drawn.parse(await this.#pool.run(request, undefined, { withinMs: TIMEOUT_MS }));
      return Buffer.from(base64, 'base64');
    } catch (error) {
      if (!this.#isDisposed) this.#log.error({ error }, 'Cannot draw a chart');
      return null;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isDisposed = true;
    await this.#pool[Symbol.asyncDispose]();
  }
}
