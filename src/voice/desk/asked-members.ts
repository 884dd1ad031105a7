import type { Joining } from './speakers.ts';

const ASKED_MAX = 1_000;

/** Members who were shown what they must agree to, and how they wanted to join. The oldest give way. */
export class AskedMembers {
  readonly #asked = new Map<string, Joining>();

  note(sessionId: string, joining: Joining): void {
    const key = keyOf(sessionId, joining.userId);
    this.#asked.delete(key);
    this.#asked.set(key, joining);
    const [oldest] = this.#asked.keys();
    if (this.#asked.size > ASKED_MAX && oldest !== undefined) this.#asked.delete(oldest);
  }

  /** Undefined: they were not asked. */
  take(sessionId: string, userId: string): Joining | undefined {
    const key = keyOf(sessionId, userId);
    const joining = this.#asked.get(key);
    this.#asked.delete(key);
    return joining;
  }
}

function keyOf(sessionId: string, userId: string): string {
  return `${sessionId}:${userId}`;
}
