/** Failures of the call's encryption on order. */
export class DaveFaults {
  #corruptWelcomes = 0;
  #losesCommits = false;
  /** The newest of the proposals whose commits are lost. */
  #lostWith: object | undefined;
  #plainFrames = 0;
  /** Waited before each execution of a transition that everybody is ready for. Default 0. */
  executeDelayMs = 0;

  /** The next `times` Welcomes have a wrong byte: whoever gets one cannot enter the group by it. */
  corruptWelcome(times = 1): void {
    this.#corruptWelcomes += times;
  }

  /** Nobody hears of the commits to what is proposed now, or next: whoever waits goes on waiting. */
  loseCommits(): void {
    this.#losesCommits = true;
  }

  /** The next `times` frames that members say go out unencrypted. */
  leavePlain(times = 1): void {
    this.#plainFrames += times;
  }

  /** What is sent in place of a Welcome. */
  spoil(welcome: Buffer): Buffer {
    if (this.#corruptWelcomes === 0) return welcome;
    this.#corruptWelcomes--;
    const spoilt = Buffer.from(welcome);
    const last = spoilt.byteLength - 1;
    spoilt.writeUInt8(spoilt.readUInt8(last) ^ 0xff, last);
    return spoilt;
  }

  /** Whether commits to these proposals are lost; the first that are asked about after the order are. */
  losesCommitsTo(proposals: readonly object[]): boolean {
    const newest = proposals.at(-1);
    if (this.#losesCommits) this.#lostWith = newest;
    this.#losesCommits = false;
    return newest !== undefined && this.#lostWith === newest;
  }

  /** Whether the next frame stays unencrypted; uses the order up. */
  takePlain(): boolean {
    if (this.#plainFrames === 0) return false;
    this.#plainFrames--;
    return true;
  }
}
