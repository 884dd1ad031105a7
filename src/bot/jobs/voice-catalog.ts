import type { Clock } from '../../base/clock.ts';
import { KeptFresh } from '../../base/kept-fresh.ts';
import type { Logger } from '../../base/log.ts';
import type { MediaApi } from '../../media-api/media-api.ts';
import type { Voice } from '../../media-api/voices.ts';

const REFRESH_MS = 600_000;
const RETRY_MS = 30_000;

/** The service's voices, kept fresh in the background, so that a member who types never waits for them. */
export class VoiceCatalog implements AsyncDisposable {
  readonly #voices: KeptFresh<readonly Voice[]>;

  constructor({ api, clock, log }: { api: MediaApi; clock: Clock; log: Logger }) {
    this.#voices = new KeptFresh({
      load: (signal) => api.voices.list({ signal, priority: 'background' }),
      clock,
      refreshMs: REFRESH_MS,
      retryMs: RETRY_MS,
      onFailed: (error) => log.warn({ error }, 'Cannot read the voices, the last known stay on offer'),
    });
  }

  /** Null until the service was first heard of; empty where it offers none. */
  get list(): readonly Voice[] | null {
    return this.#voices.value;
  }

  /** Resolves when the first list came, or could not be had. */
  start(): Promise<void> {
    return this.#voices.start();
  }

  /** The service refused what was chosen from the list: it may have changed. */
  renew(): void {
    this.#voices.renew();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#voices[Symbol.asyncDispose]();
  }
}
