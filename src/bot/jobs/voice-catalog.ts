import type { Clock } from '../../base/clock.ts';
import { RefreshedValue } from '../../base/refreshed-value.ts';
import type { Logger } from '../../base/log.ts';
import type { MediaApi } from '../../media-api/media-api.ts';
import type { Voice } from '../../media-api/voices.ts';

const REFRESH_MS = 600_000;
const RETRY_MS = 30_000;

/** The service's voices. They are refreshed in the background, so that autocompletion never waits for the service. */
export class VoiceCatalog implements AsyncDisposable {
  readonly #voices: RefreshedValue<readonly Voice[]>;

  constructor({ api, clock, log }: { api: MediaApi; clock: Clock; log: Logger }) {
    this.#voices = new RefreshedValue({
      load: (signal) => api.voices.list({ signal, priority: 'background' }),
      clock,
      refreshMs: REFRESH_MS,
      retryMs: RETRY_MS,
      onFailed: (error) =>
        log.warn({ error }, 'Cannot read the voices; the last known ones are still offered'),
    });
  }

  /** The list of voices; null until the first list has arrived, empty if the service offers no voices. */
  get list(): readonly Voice[] | null {
    return this.#voices.value;
  }

  /** Resolves when the first list has arrived or could not be read. */
  start(): Promise<void> {
    return this.#voices.start();
  }

  /** Reads the list again. Called when the service has refused a voice from the list, which may have changed. */
  renew(): void {
    this.#voices.renew();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#voices[Symbol.asyncDispose]();
  }
}
