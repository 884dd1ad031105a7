import { availableParallelism } from 'node:os';
import { type Clock, systemClock } from '../../../base/clock.ts';
import { LinkedSignal } from '../../../base/linked-signal.ts';
import { type Logger, silentLogger } from '../../../base/log.ts';
import { CapacityError } from '../capacity-error.ts';
import type { Voice, VoiceStream, VoiceStreamOptions, VoiceSwapEngine } from '../voice-swap-engine.ts';
import { CpuVoiceStream } from './cpu-voice-stream.ts';
import { VoiceThread } from './voice-thread.ts';
import { VOICES, voiceById } from './voices.ts';

export interface CpuVoiceSwapOptions {
  /**
   * The number of simultaneous live streams, each taking up to 2.5 % of a core. Default: 8 for each core, at most 32.
   */
  readonly streamsMax?: number;
  /** The module that the thread runs. */
  readonly workerUrl?: URL;
  readonly clock?: Clock;
  readonly logger?: Logger;
}

/** The largest number of streams. One thread processes all of them, and more would overload it. */
const STREAMS_MAX = 32;
const STREAMS_PER_CORE = 8;

/**
 * Converts voices on this machine's processor, all of them in one separate thread. If the thread dies, its streams fail
 * and a new thread starts. Until the new thread is ready, new streams are rejected with `capacity_warming`.
 */
export class CpuVoiceSwap implements VoiceSwapEngine, AsyncDisposable {
  readonly voices: readonly Voice[] = VOICES.map(({ id, name, description }) => ({ id, name, description }));
  readonly #options: Required<CpuVoiceSwapOptions>;
  readonly #previews = new Map<string, Promise<Uint8Array>>();
  #thread: VoiceThread | undefined;
  #starting: Promise<VoiceThread> | undefined;
  #disposed: Promise<void> | undefined;
  #taken = 0;
  #lastStream = 0;

  private constructor(options: Required<CpuVoiceSwapOptions>) {
    this.#options = options;
  }

  /**
   * Starts the thread and waits until it is ready. Throws if it cannot start. The caller disposes the engine.
   */
  static async start(options: CpuVoiceSwapOptions = {}): Promise<CpuVoiceSwap> {
    const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
    const engine = new CpuVoiceSwap({
      streamsMax: Math.min(STREAMS_MAX, STREAMS_PER_CORE * availableParallelism()),
      workerUrl: new URL(`voice-worker.${extension}`, import.meta.url),
      clock: systemClock,
      logger: silentLogger,
      ...options,
    });
    await engine.#startThread();
    return engine;
  }

  async preview(voiceId: string, signal: AbortSignal): Promise<Uint8Array> {
    if (!voiceById(voiceId)) throw unknownVoice(voiceId);
    signal.throwIfAborted();
    let preview = this.#previews.get(voiceId);
    if (!preview) {
      preview = this.#startThread().then((thread) => thread.preview(voiceId));
      this.#previews.set(voiceId, preview);
      preview.catch(() => this.#previews.delete(voiceId));
    }
    return (await orAborted(preview, signal)).slice();
  }

  async open({ voiceId, sampleRateHz }: VoiceStreamOptions): Promise<VoiceStream> {
    if (!voiceById(voiceId)) throw unknownVoice(voiceId);
    if (this.#disposed || this.#taken >= this.#options.streamsMax) {
      throw new CapacityError('capacity_unavailable', 'Cannot convert another voice: no place is free');
    }
    const thread = this.#thread;
    if (!thread) {
      this.#startAgain();
      throw new CapacityError('capacity_warming', 'Cannot convert another voice yet: the engine is starting');
    }
    const id = ++this.#lastStream;
    this.#taken++;
    const giveBack = (): void => {
      this.#taken--;
      thread.close(id);
    };
    try {
      const latencyFrames = await thread.open(id, voiceId, sampleRateHz);
      return new CpuVoiceStream({ thread, id, sampleRateHz, latencyFrames, giveBack });
    } catch (error) {
      giveBack();
      throw error;
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#disposed ??= this.#dispose();
    return this.#disposed;
  }

  /** Returns the running thread, or the one that is being started. */
  #startThread(): Promise<VoiceThread> {
    if (this.#disposed) return Promise.reject(new Error('Cannot convert voices: the engine was stopped'));
    if (this.#thread) return Promise.resolve(this.#thread);
    const { workerUrl, clock } = this.#options;
    this.#starting ??= VoiceThread.start(workerUrl, clock)
      .then((thread) => {
        this.#thread = thread;
        void thread.death.then(() => this.#removeDead(thread));
        return thread;
      })
      .finally(() => (this.#starting = undefined));
    return this.#starting;
  }

  #removeDead(thread: VoiceThread): void {
    if (this.#thread === thread) this.#thread = undefined;
    if (this.#disposed) return;
    this.#options.logger.warn({}, 'The voice thread died');
    this.#startAgain();
  }

  #startAgain(): void {
    this.#startThread().catch((error: unknown) => {
      this.#options.logger.error({ error }, 'The voice thread could not be started');
    });
  }

  async #dispose(): Promise<void> {
    await Promise.allSettled([this.#starting]);
    await this.#thread?.[Symbol.asyncDispose]();
  }
}

function unknownVoice(voiceId: string): RangeError {
  return new RangeError(`Cannot find the voice "${voiceId}"`);
}

/** Returns the promise's result, or throws the signal's reason if the signal aborts first. */
async function orAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  using linked = new LinkedSignal(signal);
  const aborted = Promise.withResolvers<never>();
  linked.signal.addEventListener('abort', () => aborted.reject(linked.signal.reason), { once: true });
  return await Promise.race([promise, aborted.promise]);
}
