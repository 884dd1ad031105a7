const REMEMBERED_MAX = 1_000;

/** Values stored for members of sessions. When there are too many, the oldest are dropped. */
export class MemberNotes<T> {
  readonly #notes = new Map<string, T>();

  note(sessionId: string, userId: string, what: T): void {
    const key = keyOf(sessionId, userId);
    this.#notes.delete(key);
    this.#notes.set(key, what);
    const [oldest] = this.#notes.keys();
    if (this.#notes.size > REMEMBERED_MAX && oldest !== undefined) this.#notes.delete(oldest);
  }

  get(sessionId: string, userId: string): T | undefined {
    return this.#notes.get(keyOf(sessionId, userId));
  }

  /** Returns the value and deletes it. */
  take(sessionId: string, userId: string): T | undefined {
    const what = this.get(sessionId, userId);
    this.#notes.delete(keyOf(sessionId, userId));
    return what;
  }
}

function keyOf(sessionId: string, userId: string): string {
  return `${sessionId}:${userId}`;
}
