import { callerGroup, isSharedAddress } from '../base/caller-group.ts';

/** Downloads at the same time: altogether, of one result, and by one caller. */
const ALL_MAX = 64;
const PER_RESULT_MAX = 8;
const PER_CALLER_MAX = 6;

export interface Download {
  readonly jobId: string;
  /** The caller's, or that of a proxy which does not say whom it stands for. */
  readonly address: string;
}

/** The places for downloads of results. One caller can take neither all of a result's nor all there are. */
export class DownloadPlaces {
  readonly #taken = new Set<Download>();

  /** Returns how to leave the place; undefined when there is none. */
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
