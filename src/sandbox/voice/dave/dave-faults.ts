/** Failures of the call's encryption on order. */
export class DaveFaults {
  #corruptWelcomes = 0;
  #losesCommits = false;
  /** The newest of the proposals whose commits are lost. */
  #lostWith: object | undefined;
  readonly #plainFrames = new Map<string, number>();
  /** Waited before each execution of a transition that everybody is ready for. Default 0. */
  executeDelayMs = 0;
  /** While true, members leave it to bots to commit. Default false: members are the first, being here already. */
  membersKeepQuiet = false;

  /** While true, the first transition of a group has a number too and waits for all. Default false. */
  numbersFirst = false;

  /** The next `times` Welcomes have a wrong byte: whoever gets one cannot enter the group by it. */
  corruptWelcome(times = 1): void {
    this.#corruptWelcomes += times;
  }

  /** Nobody hears of the commits to what is proposed now, or next: whoever waits goes on waiting. */
  loseCommits(): void {
    this.#losesCommits = true;
  }

  /** The next `times` frames that a member says go out unencrypted. */
  leavePlain(userId: string, times = 1): void {
    this.#plainFrames.set(userId, times);
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
  takePlain(userId: string): boolean {
    const left = this.#plainFrames.get(userId) ?? 0;
    if (left > 0) this.#plainFrames.set(userId, left - 1);
    return left > 0;
  }
}
