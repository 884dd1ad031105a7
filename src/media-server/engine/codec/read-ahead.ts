/**
 * Asks `source` for `count` items before they are wanted, so that it works while its reader does. What `source`
 * gives must stay valid until `count` more were asked for. Ends `source` when the loop is left.
 */
export async function* readAhead<T>(source: AsyncGenerator<T>, count: number): AsyncGenerator<T> {
  const coming: Promise<IteratorResult<T>>[] = [];
  try {
    for (;;) {
      while (coming.length < count) {
        const next = source.next();
        // It is awaited below, or nobody wants it any more.
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
