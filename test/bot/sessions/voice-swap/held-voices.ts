import type {
  Voice,
  VoiceStream,
  VoiceStreamOptions,
  VoiceSwapEngine,
} from '../../../../src/media-server/engine/voice-swap-engine.ts';
import type { LockstepClock } from '../../../helpers/lockstep-clock.ts';

/** An engine that runs in its own threads. Simulated time stands still while the engine works. */
export class HeldVoices implements VoiceSwapEngine {
  readonly #engine: VoiceSwapEngine;
  /** The test's clock, once it exists. */
  clock: LockstepClock | undefined;

  constructor(engine: VoiceSwapEngine) {
    this.#engine = engine;
  }

  get voices(): readonly Voice[] {
    return this.#engine.voices;
  }

  preview(voiceId: string, signal: AbortSignal): Promise<Uint8Array> {
    return this.#hold(this.#engine.preview(voiceId, signal));
  }

  async open(options: VoiceStreamOptions): Promise<VoiceStream> {
    const stream = await this.#hold(this.#engine.open(options));
    return {
      latencyFrames: stream.latencyFrames,
      convert: (pcm) => this.#hold(stream.convert(pcm)),
      [Symbol.asyncDispose]: () => this.#hold(stream[Symbol.asyncDispose]()),
    };
  }

  #hold<T>(work: PromiseLike<T>): Promise<T> {
    const promise = Promise.resolve(work);
    return this.clock?.hold(promise) ?? promise;
  }
}
