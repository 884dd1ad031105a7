/**
 * What a transaction is about. Those of one scope run one after another, whatever process they are of, so that what one
 * has looked at stays as it was until it commits. Money and jobs go by guild, what people saved by member.
 */
export type Scope =
  | `guild:${string}`
  | `member:${string}`
  /** Requests granted to one API key. */
  | `key:${string}`
  /** What the operator is told, and sets for everybody. */
  | 'operator'
  /** What the account at the service was used for by others, and the comparison with it. */
  | 'account'
  /** Single rows, each guarded by itself: these do not wait for one another. */
  | 'rows';
