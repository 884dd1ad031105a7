/** Faults to inject into a call's encryption. */
export class DaveFaults {
  #corruptWelcomes = 0;
  #losesCommits = false;
  /** The newest of the proposals whose commits are lost. */
  #lostWith: object | undefined;
  readonly #plainFrames = new Map<string, number>();
  /** The wait before each execution of a transition for which everybody is ready, in milliseconds. Default 0. */
  executeDelayMs = 0;
  /**
   * While true, members leave commits to bots. Default false: members commit first, because they are in this process.
   */
  membersKeepQuiet = false;

  /** While true, the first transition of a group also has a number and waits for everybody. Default false. */
  numbersFirst = false;

  /** Changes a byte of the next `times` Welcomes, so that their receivers cannot enter the group. */
  corruptWelcome(times = 1): void {
    this.#corruptWelcomes += times;
  }

  /**
   * Does not announce the commits to the current or next proposals, so clients that are waiting to be added keep
   * waiting.
   */
  loseCommits(): void {
    this.#losesCommits = true;
  }

  /** Sends the next `times` frames of a member's speech unencrypted. */
  leavePlain(userId: string, times = 1): void {
    this.#plainFrames.set(userId, times);
  }

  /** Returns the bytes to send in place of a Welcome. */
  corrupt(welcome: Buffer): Buffer {
    if (this.#corruptWelcomes === 0) return welcome;
    this.#corruptWelcomes--;
    const spoilt = Buffer.from(welcome);
    const last = spoilt.byteLength - 1;
    spoilt.writeUInt8(spoilt.readUInt8(last) ^ 0xff, last);
    return spoilt;
  }

  /**
   * Whether commits to these proposals are lost. After `loseCommits`, this applies to the first proposals that are
   * checked.
   */
  losesCommitsTo(proposals: readonly object[]): boolean {
    const newest = proposals.at(-1);
    if (this.#losesCommits) this.#lostWith = newest;
    this.#losesCommits = false;
    return newest !== undefined && this.#lostWith === newest;
  }

  /** Whether a user's next frame stays unencrypted. Uses up one of the frames that `leavePlain` set. */
  takePlain(userId: string): boolean {
    const left = this.#plainFrames.get(userId) ?? 0;
    if (left > 0) this.#plainFrames.set(userId, left - 1);
    return left > 0;
  }
}
