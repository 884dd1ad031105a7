const ENTRIES_MAX = 1_000;

/**
 * Maps streams to members, as reported by the voice server. A member has one stream; a new one replaces it. A stream
 * that is assigned to another member belongs to that member from then on.
 */
export class SpeakerTable {
  readonly #userBySsrc = new Map<number, string>();
  readonly #ssrcByUser = new Map<string, number>();

  userOf(ssrc: number): string | undefined {
    return this.#userBySsrc.get(ssrc);
  }

  set(userId: string, ssrc: number): void {
    const former = this.#userBySsrc.get(ssrc);
    if (former === userId) return;
    if (former !== undefined) this.#ssrcByUser.delete(former);
    this.delete(userId);
    this.#userBySsrc.set(ssrc, userId);
    this.#ssrcByUser.set(userId, ssrc);
    const [oldest] = this.#ssrcByUser.keys();
    if (this.#ssrcByUser.size > ENTRIES_MAX && oldest !== undefined) this.delete(oldest);
  }

  delete(userId: string): void {
    const ssrc = this.#ssrcByUser.get(userId);
    if (ssrc === undefined) return;
    this.#ssrcByUser.delete(userId);
    this.#userBySsrc.delete(ssrc);
  }

  /** Removes all streams, because another voice server assigns other numbers. */
  clear(): void {
    this.#userBySsrc.clear();
    this.#ssrcByUser.clear();
  }
}
