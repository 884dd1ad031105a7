import { ServiceError } from './errors.ts';

/** More items are waiting than can be processed soon. */
export class BatcherFull extends ServiceError<'too_many_waiting'> {}

interface Waiting<T, R> {
  readonly item: T;
  readonly resolve: (result: R) => void;
  readonly reject: (error: unknown) => void;
}

interface BatcherOptions<T, R> {
  /** Processes all items together. Returns one result for each, in the same order. */
  readonly run: (items: readonly T[]) => Promise<readonly R[]>;
  /** The maximum number of items in one batch. */
  readonly sizeMax: number;
  /** The maximum number of items that may wait for their batch. */
  readonly waitingMax: number;
}

/**
 * Groups items that are requested at about the same time, and processes each group as one batch. This helps if a batch
 * costs little more than one item.
 */
export class Batcher<T, R> {
  readonly #options: BatcherOptions<T, R>;
  #waiting: Waiting<T, R>[] = [];
  #running = false;

  constructor(options: BatcherOptions<T, R>) {
    this.#options = options;
  }

  /**
   * Returns the result for `item`, or throws the error of its whole batch. Rejects with `BatcherFull` at once if too
   * many items are waiting.
   */
  add(item: T): Promise<R> {
    return new Promise((resolve, reject) => {
      if (this.#waiting.length >= this.#options.waitingMax) {
        return reject(new BatcherFull('too_many_waiting', 'Cannot take more on: too much waits already'));
      }
      this.#waiting.push({ item, resolve, reject });
      if (this.#running) return;
      this.#running = true;
      this.#runAll().catch(reject);
    });
  }

  async #runAll(): Promise<void> {
    try {
      while (this.#waiting.length > 0) {
        // The batch includes all items that are added in the same turn of the event loop.
        await new Promise((resolve) => setImmediate(resolve));
        await this.#runBatch(this.#waiting.splice(0, this.#options.sizeMax));
      }
    } finally {
      this.#running = false;
    }
  }

  async #runBatch(batch: readonly Waiting<T, R>[]): Promise<void> {
    try {
      const results = await this.#options.run(batch.map(({ item }) => item));
      if (results.length !== batch.length)
        throw new TypeError('Cannot match the results of a batch: their number differs');
      batch.forEach(({ resolve }, index) => resolve(results[index] as R));
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }
}
