const RETRY_MS_MIN = 2_000;
const RETRY_MS_MAX = 60_000;
const FAILURES_MAX = 5;
/** A line that held that long was not part of a series of failures. */
const STEADY_MS = 30_000;

/** How often, and after what pauses, a line that was refused or lost is tried again. */
export class LineRetries {
  #failures = 0;

  /** The member asked anew. */
  forget(): void {
    this.#failures = 0;
  }

  /** A line that had been open for so long was lost. */
  lostAfter(heldMs: number): void {
    if (heldMs >= STEADY_MS) this.#failures = 0;
  }

  /** Milliseconds until the next try; null: there is none any more. */
  next(): number | null {
    this.#failures += 1;
    if (this.#failures >= FAILURES_MAX) return null;
    return Math.min(RETRY_MS_MAX, RETRY_MS_MIN * 2 ** (this.#failures - 1));
  }
}
