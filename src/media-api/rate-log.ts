/**
 * The shared record of when requests were sent with one key. All processes that use the key share one log, so that
 * together they respect its limit. Each operation must be one atomic transaction. Times are in epoch milliseconds.
 */
export interface RateLog {
  /**
   * Records a request at `now()`, if the log is not frozen and fewer than `limit` requests were recorded after `now() -
   * windowMs`. Otherwise it records nothing and returns when to try again: at the end of the freeze, or when the window
   * will hold fewer than `limit` requests. It calls `now` only after it has waited for everything else, such as a lock.
   * `limit` differs from call to call (see `RateBudget`). Entries older than the window may be deleted.
   */
  reserve(now: () => number, windowMs: number, limit: number): Promise<Reservation>;
  /** Grants nothing until `untilMs`. An earlier freeze that lasts longer stays in effect. */
  freeze(untilMs: number): Promise<void>;
}

export type Reservation =
  | { readonly granted: true }
  | { readonly granted: false; readonly retryAtMs: number };
