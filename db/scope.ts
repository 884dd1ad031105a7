/**
 * The data that a transaction changes. Transactions with the same scope run one after another across all processes, so
 * that the data that a transaction has read stays unchanged until it commits. Money and jobs use the guild's scope, and
 * a member's data uses the member's scope.
 */
export type Scope =
  | `guild:${string}`
  | `member:${string}`
  /** The requests granted to one API key. */
  | `key:${string}`
  /** The operator's alerts and settings. */
  | 'operator'
  /** The foreign use of the service account, and the comparison of the books with that account. */
  | 'account'
  /**
   * Single rows, each with its own guard, such as a fence. Transactions with this scope do not wait for one another.
   */
  | 'rows';
