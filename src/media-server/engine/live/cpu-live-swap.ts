import { availableParallelism } from 'node:os';
import { Confinement } from '../../../base/children/confinement.ts';
import { type Clock, systemClock } from '../../../base/clock.ts';
import { type Logger, silentLogger } from '../../../base/log.ts';
import { CapacityError } from '../capacity-error.ts';
import type { LiveFace, LiveStream, LiveStreamOptions, LiveSwapEngine } from '../live-swap-engine.ts';
import { RenderWorker } from '../pool/render-worker.ts';
import { CpuLiveStream } from './cpu-live-stream.ts';
import type { LiveTask } from './live-task.ts';
import { PRESET_FACES, presetFacePath } from './preset-faces.ts';

interface CpuLiveSwapOptions {
  /**
   * The number of simultaneous streams, each with its own process (about 200 MB). Default: one less than the number of
   * cores, at least 1.
   */
  readonly places?: number;
  /** How the processes are isolated from this one. Default: as far as this system allows. */
  readonly confinement?: Confinement;
  readonly clock?: Clock;
  readonly logger?: Logger;
}

const START_TIMEOUT_MS = 30_000;
const OPEN_TIMEOUT_MS = 30_000;

/**
 * Swaps faces live on this machine's processor. Every stream has its own process, separate from those of jobs. A
 * process is started when it is first needed and kept for later streams.
 */
export class CpuLiveSwap implements LiveSwapEngine, AsyncDisposable {
  readonly faces: readonly LiveFace[] = PRESET_FACES;
  readonly #places: number;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #confinement: Confinement;
  readonly #idle: RenderWorker[] = [];
  readonly #open = new Set<CpuLiveStream>();
  #taken = 0;
  #disposed = false;

  constructor(options: CpuLiveSwapOptions = {}) {
    this.#places = options.places ?? Math.max(1, availableParallelism() - 1);
    this.#clock = options.clock ?? systemClock;
    this.#logger = options.logger ?? silentLogger;
    this.#confinement = options.confinement ?? new Confinement({ log: this.#logger });
  }

  async open({ face }: LiveStreamOptions): Promise<LiveStream> {
    const facePath = 'id' in face ? presetFacePath(face.id) : face.path;
    if (this.#disposed || this.#taken >= this.#places) throw noPlace();
    this.#taken++;
    let worker: RenderWorker | undefined;
    try {
      worker = await this.#worker();
      const task: LiveTask = { kind: 'open', facePath };
      await worker.run(task, OPEN_TIMEOUT_MS, new AbortController().signal);
      if (this.#disposed) throw noPlace();
      const stream = new CpuLiveStream(worker, this.#clock, (ended) => this.#release(ended));
      this.#open.add(stream);
      return stream;
    } catch (error) {
      await this.#giveBack(worker);
      throw error;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#disposed = true;
    await Promise.all(Array.from(this.#open, (stream) => stream[Symbol.asyncDispose]()));
    await Promise.all(this.#idle.splice(0).map((worker) => worker[Symbol.asyncDispose]()));
  }

  async #worker(): Promise<RenderWorker> {
    for (let idle = this.#idle.pop(); idle; idle = this.#idle.pop()) if (idle.alive) return idle;
    const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
    const url = new URL(`live-worker.${extension}`, import.meta.url);
    try {
      const how = { clock: this.#clock, confinement: this.#confinement };
      return await RenderWorker.start(url, how, START_TIMEOUT_MS);
    } catch (cause) {
      this.#logger.error({ error: cause }, 'A live worker could not be started');
      throw new CapacityError('capacity_unavailable', 'Cannot open a live stream: its worker did not start', {
        cause,
      });
    }
  }

  #release(stream: CpuLiveStream): Promise<void> {
    this.#open.delete(stream);
    return this.#giveBack(stream.worker);
  }

  async #giveBack(worker: RenderWorker | undefined): Promise<void> {
    this.#taken--;
    if (!worker?.alive) return;
    if (this.#disposed) await worker[Symbol.asyncDispose]();
    else this.#idle.push(worker);
  }
}

function noPlace(): CapacityError {
  return new CapacityError('capacity_unavailable', 'Cannot open a live stream: no place is free');
}
