/**
 * Requests `count` items from `source` in advance, so that `source` produces items while the caller uses others. Each
 * item must stay valid until `count` more have been requested. Ends `source` when the caller's loop ends.
 */
export async function* readAhead<T>(source: AsyncGenerator<T>, count: number): AsyncGenerator<T> {
  const coming: Promise<IteratorResult<T>>[] = [];
  try {
    for (;;) {
      while (coming.length < count) {
        const next = source.next();
        // The promise is awaited below, unless the caller's loop has ended.
        next.catch(() => undefined);
        coming.push(next);
      }
      const result = await coming.shift();
      if (!result || result.done) return;
      yield result.value;
    }
  } finally {
    await source.return(undefined);
  }
}
