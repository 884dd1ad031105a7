/** The topics of notifications between processes: jobs that are due, and data to remove. */
export type Topic = 'jobs' | 'removals';

/**
 * Notifies other processes that something was committed. A notification may be lost, so every listener also checks by
 * itself from time to time. A repeated notification is harmless.
 */
export interface Changes {
  /** Notifies the other processes that share the database. Several calls in a short time become one notification. */
  notify(topic: Topic): void;
  /**
   * Calls `heard` when another process sends a notification about `topic`, and when notifications may have been missed.
   */
  listen(topic: Topic, heard: () => void): Disposable;
}

/** Sends nothing. It is for databases whose processes cannot notify each other, so every process checks by itself. */
export const NO_CHANGES: Changes = {
  notify: () => undefined,
  listen: () => ({ [Symbol.dispose]: () => undefined }),
};
