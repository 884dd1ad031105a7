import { callerGroup, isSharedAddress } from '../../base/caller-group.ts';
import { CallerShares, type Standing, firstToGiveWay } from '../../base/caller-shares.ts';

/** The largest numbers of simultaneous downloads: in total, of one result, and by one caller. */
const ALL_MAX = 64;
const PER_RESULT_MAX = 8;
const PER_CALLER_MAX = 6;
const TAKEN: Standing = { to: 'lighter', rank: 0 };

export interface Download {
  readonly jobId: string;
  /** The caller's address, or the proxy's own address if a proxy does not forward the caller's. */
  readonly address: string;
  /** Ends the download, so that another caller gets its place. */
  readonly end: () => void;
}

/**
 * Limits simultaneous downloads of results, for each result and for the whole server. At a limit, the caller with the
 * most downloads loses its oldest one to a caller with fewer. Therefore not even a caller that uses many networks can
 * block the others.
 */
export class DownloadPlaces {
  /** The downloads in progress, oldest first. */
  readonly #taken = new Set<Download>();

  /** Takes a place and returns a function that frees it; `undefined` if no place is free. */
  take(download: Download): (() => void) | undefined {
    const { jobId, address } = download;
    const caller = callerGroup(address);
    const ofCaller = this.#which((other) => callerGroup(other.address) === caller);
    if (ofCaller.length >= PER_CALLER_MAX && !isSharedAddress(address)) return undefined;
    const ofResult = this.#which((other) => other.jobId === jobId);
    if (!this.#makeRoom(download, ofResult, PER_RESULT_MAX)) return undefined;
    if (!this.#makeRoom(download, [...this.#taken], ALL_MAX)) return undefined;
    this.#taken.add(download);
    return () => void this.#taken.delete(download);
  }

  /**
   * If `among` already contains `most` downloads, ends one of them, if possible, in favour of the new one. Returns
   * whether there is room for the new one.
   */
  #makeRoom({ address }: Download, among: readonly Download[], most: number): boolean {
    if (among.length < most) return true;
    const shares = new CallerShares();
    const shareOf = (of: string) => (isSharedAddress(of) ? shares.takeAlone() : shares.take(of));
    const holders = among.map((download, since) => ({ download, share: shareOf(download.address), since }));
    const first = firstToGiveWay(holders, shareOf(address), () => TAKEN)?.download;
    if (!first) return false;
    this.#taken.delete(first);
    first.end();
    return true;
  }

  #which(is: (download: Download) => boolean): Download[] {
    return [...this.#taken].filter(is);
  }
}
