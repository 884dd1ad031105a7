import { type Backoff, backoffMs } from '../../../base/retry.ts';

/**
 * What the close of a voice connection means: another try may help (`rejoin`), the bot was sent away or the call ended
 * unless another voice server is named at once (`dismissed`), Discord asks to stay away (`stay_away`), or the call
 * takes no clients without encryption end to end (`refused`).
 */
type CloseVerdict = 'rejoin' | 'dismissed' | 'stay_away' | 'refused';

const VERDICTS: ReadonlyMap<number, CloseVerdict> = new Map([
  [4014, 'dismissed'],
  [4017, 'refused'],
  [4021, 'stay_away'],
  [4022, 'dismissed'],
]);

/** `code` is null when the connection came to no end of its own, but was given up. */
export function judgeClose(code: number | null): CloseVerdict {
  return (code === null ? undefined : VERDICTS.get(code)) ?? 'rejoin';
}

const BACKOFF: Backoff = { delayMsFirst: 500, delayMsMax: 8_000 };
/** Tries one after another before a channel is given up. */
export const REJOINS_MAX = 5;
/** A connection that held so long, in milliseconds, clears what went before. */
export const STABLE_MS = 60_000;

/** How often and how soon a connection is made again. */
export class RejoinBudget {
  #attempts = 0;

  /** The wait before the next try, in milliseconds; null when there is none left. */
  next(heldMs: number): number | null {
    if (heldMs >= STABLE_MS) this.#attempts = 0;
    if (this.#attempts >= REJOINS_MAX) return null;
    this.#attempts += 1;
    return backoffMs(BACKOFF, this.#attempts);
  }
}
