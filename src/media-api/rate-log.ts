/**
 * The shared record of when requests left, for one key. All processes that use the key share one log, so that
 * they keep one limit together; each operation must be one atomic transaction. Times are epoch milliseconds.
 */
export interface RateLog {
  /**
   * Records a request at `now()`, which is asked once nothing is waited for any more, if the log is not frozen and fewer than `limit` requests were recorded after
   * `now() - windowMs`. Otherwise records nothing and tells when to ask again: the end of the freeze, or the
   * moment the window holds fewer than `limit`. `limit` differs from call to call (see `RateBudget`). Entries
   * older than the window may be forgotten.
   */
  reserve(now: () => number, windowMs: number, limit: number): Promise<Reservation>;
  /** Grants nothing until `untilMs`; an earlier, longer freeze stays. */
  freeze(untilMs: number): Promise<void>;
}

export type Reservation =
  | { readonly granted: true }
  | { readonly granted: false; readonly retryAtMs: number };
