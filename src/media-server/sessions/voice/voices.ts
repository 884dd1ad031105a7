import { type Clock, withDeadline } from '../../../base/clock.ts';
import type { Voice, VoiceSwapEngine } from '../../engine/voice-swap-engine.ts';
import { ApiError } from '../../wire/api-error.ts';

const RENDER_MS = 60_000;

/** The voices on offer, with a preview of each as a WAV file, which is rendered on the first request. */
export class Voices {
  readonly #engine: VoiceSwapEngine | undefined;
  readonly #clock: Clock;
  readonly #previews = new Map<string, Promise<Uint8Array>>();

  constructor(engine: VoiceSwapEngine | undefined, clock: Clock) {
    this.#engine = engine;
    this.#clock = clock;
  }

  /** The voices, or an empty list if there is no engine for them. */
  get list(): readonly Voice[] {
    return this.#engine?.voices ?? [];
  }

  /**
   * Returns a voice's preview. Throws `not_found` if the voice is not on offer. After an error, the next call
   * renders it again.
   */
  async preview(voiceId: string): Promise<Uint8Array> {
    const engine = this.#engine;
    if (!engine?.voices.some(({ id }) => id === voiceId)) throw new ApiError('not_found', 'No such voice');
    const made = this.#previews.get(voiceId);
    if (made) return await made;
    const making = withDeadline(this.#clock, RENDER_MS, (signal) => engine.preview(voiceId, signal));
    this.#previews.set(voiceId, making);
    try {
      return await making;
    } catch (error) {
      this.#previews.delete(voiceId);
      throw error;
    }
  }
}
