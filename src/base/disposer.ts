/**
 * Keeps the resources of an owner and disposes them in reverse order, once. Every resource is disposed even if an
 * earlier one fails; failures are combined in one `AggregateError`. (Replaces `AsyncDisposableStack`, which Node 22
 * lacks.)
 */
export class Disposer implements AsyncDisposable {
  readonly #entries: (() => unknown)[] = [];
  #done: Promise<void> | undefined;

  /** Takes ownership of `resource` and returns it. */
  use<T extends AsyncDisposable | Disposable>(resource: T): T {
    this.defer(() =>
      Symbol.asyncDispose in resource ? resource[Symbol.asyncDispose]() : resource[Symbol.dispose](),
    );
    return resource;
  }

  /** Runs `cleanUp` on disposal. */
  defer(cleanUp: () => unknown): void {
    this.#entries.push(cleanUp);
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#done ??= this.#disposeAll();
    return this.#done;
  }

  async #disposeAll(): Promise<void> {
    const failures: unknown[] = [];
    for (let cleanUp = this.#entries.pop(); cleanUp; cleanUp = this.#entries.pop()) {
      try {
        await cleanUp();
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw new AggregateError(failures, 'Cannot dispose everything');
  }
}
