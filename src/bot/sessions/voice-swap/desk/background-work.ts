import type { Logger } from '../../../../base/log.ts';

/** Tracks a session's background work, for which the end of the session waits. */
export class BackgroundWork {
  readonly #log: Logger;
  readonly #running = new Set<Promise<void>>();

  constructor(log: Logger) {
    this.#log = log;
  }

  /** Resolves when all work that was added so far is done; never rejects. */
  async settled(): Promise<void> {
    await Promise.all(this.#running);
  }

  /** Adds work that has already started. A failure is only logged. */
  add(work: Promise<void>): void {
    const running = work
      .catch((error: unknown) =>
        this.#log.warn({ error }, 'Cannot finish the background work of a voice session'),
      )
      .finally(() => this.#running.delete(running));
    this.#running.add(running);
  }
}
