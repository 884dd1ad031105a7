/** One page of a list. Pages count from 0. */
export interface Page<T> {
  readonly lines: readonly T[];
  readonly page: number;
  readonly hasMore: boolean;
}
