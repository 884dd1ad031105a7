/**
 * The data that a transaction changes. Transactions of one scope run one after another across all processes, so that
 * the data that a transaction has read stays unchanged until it commits. Money and jobs use the scope of the guild, and
 * a member's data that of the member.
 */
export type Scope =
  | `guild:${string}`
  | `member:${string}`
  /** The requests granted to one API key. */
  | `key:${string}`
  /** The operator's alerts and settings. */
  | 'operator'
  /** The foreign use of the account at the service, and the comparison with it. */
  | 'account'
  /** Single rows, each with its own guard, such as a fence. These transactions do not wait for one another. */
  | 'rows';
