import { callerGroup, isSharedAddress } from '../../base/caller-group.ts';
import { CallerShares, type Standing, firstToGiveWay } from '../../base/caller-shares.ts';

/** The most downloads at the same time: in total, of one result, and by one caller. */
const ALL_MAX = 64;
const PER_RESULT_MAX = 8;
const PER_CALLER_MAX = 6;
const TAKEN: Standing = { to: 'lighter', rank: 0 };

export interface Download {
  readonly jobId: string;
  /** The caller's address, or that of a proxy that does not forward the caller's address. */
  readonly address: string;
  /** Ends the download, to give its place to another caller. */
  readonly end: () => void;
}

/**
 * Limits concurrent downloads of results. If all places of a result or of the server are taken, the caller who holds
 * most of them loses its oldest download to a caller who holds fewer. So one caller cannot keep others out, however many
 * networks it uses.
 */
export class DownloadPlaces {
  /** The oldest first. */
  readonly #taken = new Set<Download>();

  /** Takes a place and returns a function that frees it, or undefined if no place is free. */
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

  /** Ends one of the downloads if there are too many for a new one. Returns whether there is room. */
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
