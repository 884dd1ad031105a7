import { callerGroup, isSharedAddress } from '../base/caller-group.ts';

/** The most downloads at the same time: in total, of one result, and by one caller. */
const ALL_MAX = 64;
const PER_RESULT_MAX = 8;
const PER_CALLER_MAX = 6;

export interface Download {
  readonly jobId: string;
  /** The caller's address, or that of a proxy that does not forward the caller's address. */
  readonly address: string;
}

/**
 * Limits concurrent downloads of results. One caller cannot take all places of a result, nor all places of the server.
 */
export class DownloadPlaces {
  readonly #taken = new Set<Download>();

  /** Takes a place and returns a function that frees it, or undefined if no place is free. */
  take(download: Download): (() => void) | undefined {
    const caller = callerGroup(download.address);
    const own = { ...download, address: caller };
    const isFull =
      this.#taken.size >= ALL_MAX ||
      this.#count(({ jobId }) => jobId === own.jobId) >= PER_RESULT_MAX ||
      (!isSharedAddress(download.address) &&
        this.#count(({ address }) => address === caller) >= PER_CALLER_MAX);
    if (isFull) return undefined;
    this.#taken.add(own);
    return () => void this.#taken.delete(own);
  }

  #count(is: (download: Download) => boolean): number {
    let count = 0;
    for (const download of this.#taken) if (is(download)) count += 1;
    return count;
  }
}
