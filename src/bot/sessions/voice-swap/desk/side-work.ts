import type { Logger } from '../../../../base/log.ts';

/** The work of a session that runs beside what members see. The end of the session waits for all of it. */
export class SideWork {
  readonly #log: Logger;
  readonly #running = new Set<Promise<void>>();

  constructor(log: Logger) {
    this.#log = log;
  }

  /** Resolves when all work that has started so far is done; never rejects. */
  async settled(): Promise<void> {
    await Promise.all(this.#running);
  }

  /** Keeps track of work that has started. A failure is only logged. */
  add(work: Promise<void>): void {
    const running = work
      .catch((error: unknown) => this.#log.warn({ error }, 'Cannot finish the side work of a voice session'))
      .finally(() => this.#running.delete(running));
    this.#running.add(running);
  }
}
