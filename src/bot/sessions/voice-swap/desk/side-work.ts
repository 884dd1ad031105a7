import type { Logger } from '../../../../base/log.ts';

/** What a session stores and tells beside what members see; its end waits for all of it. */
export class SideWork {
  readonly #log: Logger;
  readonly #running = new Set<Promise<void>>();

  constructor(log: Logger) {
    this.#log = log;
  }

  /** Of what has begun so far; never rejects. */
  async settled(): Promise<void> {
    await Promise.all(this.#running);
  }

  /** A failure is logged, and nothing else comes of it. */
  add(work: Promise<void>): void {
    const running = work
      .catch((error: unknown) => this.#log.warn({ error }, 'Cannot note something of a voice session'))
      .finally(() => this.#running.delete(running));
    this.#running.add(running);
  }
}
