/** Faults to inject into a call's encryption. */
export class DaveFaults {
  #corruptWelcomes = 0;
  #losesCommits = false;
  /** The newest proposal in the set whose commits are lost. */
  #lostWith: object | undefined;
  readonly #plainFrames = new Map<string, number>();
  /** How long a transition is delayed after everybody is ready for it, in milliseconds. Default 0. */
  executeDelayMs = 0;
  /**
   * While true, members do not commit, so that bots must. Default false: members commit before bots can, because
   * members run in this process.
   */
  membersKeepQuiet = false;

  /** While true, a group's first transition has a number and waits for everybody, like later ones. Default false. */
  numbersFirst = false;

  /** Changes a byte of the next `times` Welcomes, so that their receivers cannot enter the group. */
  corruptWelcome(times = 1): void {
    this.#corruptWelcomes += times;
  }

  /**
   * Loses all commits to the current set of proposals, or to the next set if there is none. Clients that the proposals
   * would add keep waiting.
   */
  loseCommits(): void {
    this.#losesCommits = true;
  }

  /** Sends the next `times` frames of a member's speech unencrypted. */
  leavePlain(userId: string, times = 1): void {
    this.#plainFrames.set(userId, times);
  }

  /**
   * Returns the bytes to send instead of a Welcome: spoilt while `corruptWelcome` applies, otherwise the Welcome
   * itself.
   */
  corrupt(welcome: Buffer): Buffer {
    if (this.#corruptWelcomes === 0) return welcome;
    this.#corruptWelcomes--;
    const spoilt = Buffer.from(welcome);
    const last = spoilt.byteLength - 1;
    spoilt.writeUInt8(spoilt.readUInt8(last) ^ 0xff, last);
    return spoilt;
  }

  /**
   * Whether commits to these proposals are lost. After `loseCommits`, this is true for the first proposals that
   * are checked.
   */
  losesCommitsTo(proposals: readonly object[]): boolean {
    const newest = proposals.at(-1);
    if (this.#losesCommits) this.#lostWith = newest;
    this.#losesCommits = false;
    return newest !== undefined && this.#lostWith === newest;
  }

  /** Whether a user's next frame stays unencrypted. Counts the frame as one of those that `leavePlain` set. */
  takePlain(userId: string): boolean {
    const left = this.#plainFrames.get(userId) ?? 0;
    if (left > 0) this.#plainFrames.set(userId, left - 1);
    return left > 0;
  }
}
