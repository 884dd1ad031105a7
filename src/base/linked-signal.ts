/**
 * A signal that aborts when the first of its sources aborts or `abort` is called, until it is disposed. Unlike a signal
 * from `AbortSignal.any`, it leaves nothing behind on a long-lived source (Node.js keeps 1.1 KB for each such signal
 * for the lifetime of its source).
 */
export class LinkedSignal implements Disposable {
  readonly #controller = new AbortController();
  readonly #sources: readonly AbortSignal[];
  readonly #onAbort = (event: Event): void => this.abort((event.target as AbortSignal).reason);

  constructor(...sources: readonly (AbortSignal | undefined)[]) {
    this.#sources = sources.filter((source) => source !== undefined);
    for (const source of this.#sources) {
      if (source.aborted) this.abort(source.reason);
      else source.addEventListener('abort', this.#onAbort, { once: true });
    }
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  abort(reason: unknown): void {
    this.#controller.abort(reason);
    this[Symbol.dispose]();
  }

  [Symbol.dispose](): void {
    for (const source of this.#sources) source.removeEventListener('abort', this.#onAbort);
  }
}
