/** What other processes may want to look at: jobs that fell due, data that shall go. */
export type Topic = 'jobs' | 'removals';

/**
 * Word from process to process that something was committed. It may be lost (and repeats are harmless), so whoever
 * listens looks by itself from time to time, too.
 */
export interface Changes {
  /** Tells the other processes that share the database, soon; many calls at once become one word. */
  tell(topic: Topic): void;
  /** Calls back when another process told of the topic, and after word may have been missed. */
  listen(topic: Topic, heard: () => void): Disposable;
}

/** Where processes hear nothing of each other: they look by themselves. */
export const NO_CHANGES: Changes = {
  tell: () => undefined,
  listen: () => ({ [Symbol.dispose]: () => undefined }),
};
