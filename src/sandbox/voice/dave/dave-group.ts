import type { Commit } from './commit.ts';
import type { ExternalSender, SignedProposal } from './external-sender.ts';
import type { KeyPackage } from './key-package.ts';
import { MlsError } from './mls-error.ts';

/** A proposal in the current epoch. */
export interface GroupProposal extends SignedProposal {
  readonly userId: string;
  /** The key package of the member to add. Without one, the proposal is to remove a member. */
  readonly keyPackage: KeyPackage | undefined;
}

/** The effect of a commit. */
export interface GroupChange {
  readonly committer: string;
  /** The added members' key packages, in the order of the members' leaves. */
  readonly added: readonly KeyPackage[];
  readonly removed: readonly string[];
}

/** An MLS group as the voice server sees it: its epoch, the owner of each leaf, and the proposals. */
export class DaveGroup {
  readonly #id: bigint;
  readonly #sender: ExternalSender;
  #epoch = 0n;
  #leaves: (string | undefined)[] = [];
  #proposals: GroupProposal[] = [];

  constructor(channelId: string, sender: ExternalSender) {
    this.#id = BigInt(channelId);
    this.#sender = sender;
  }

  /** The group's epoch; 0 until the first commit. Until then, every client is alone in a group of its own. */
  get epoch(): bigint {
    return this.#epoch;
  }

  get isEstablished(): boolean {
    return this.#epoch > 0n;
  }

  get proposals(): readonly GroupProposal[] {
    return this.#proposals;
  }

  has(userId: string): boolean {
    return this.#leaves.includes(userId);
  }

  proposeAdd(keyPackage: KeyPackage): GroupProposal {
    const proposal = {
      ...this.#sender.add({ groupId: this.#id, epoch: this.#epoch }, keyPackage.bytes),
      userId: keyPackage.userId,
      keyPackage,
    };
    this.#proposals.push(proposal);
    return proposal;
  }

  /** Proposes to remove a member, unless there is no such member or the removal is already proposed. */
  proposeRemove(userId: string): GroupProposal | undefined {
    const leafIndex = this.#leaves.indexOf(userId);
    if (leafIndex < 0 || this.#proposals.some((known) => known.userId === userId && !known.keyPackage)) {
      return undefined;
    }
    const signed = this.#sender.remove({ groupId: this.#id, epoch: this.#epoch }, leafIndex);
    const proposal = { ...signed, userId, keyPackage: undefined };
    this.#proposals.push(proposal);
    return proposal;
  }

  /** Withdraws the proposal to add a user, and returns it. */
  withdrawAdd(userId: string): GroupProposal | undefined {
    const withdrawn = this.#proposals.find((known) => known.userId === userId && known.keyPackage);
    this.#proposals = this.#proposals.filter((known) => known !== withdrawn);
    return withdrawn;
  }

  /**
   * Returns the effect of a user's commit. Throws `MlsError`: `late` if it is for another epoch or for a set of
   * proposals other than the current one, `invalid` if no client may send it.
   */
  evaluate(userId: string, commit: Commit): GroupChange {
    if (commit.groupId !== this.#id)
      throw new MlsError('invalid', 'Cannot accept a commit for another group');
    if (commit.epoch !== this.#epoch) throw new MlsError('late', 'Cannot accept a commit for another epoch');
    const ownLeaf = this.isEstablished ? this.#leaves.indexOf(userId) : 0;
    if (commit.senderLeaf !== ownLeaf)
      throw new MlsError('invalid', 'Cannot accept a commit from another member');
    if (commit.leaf && commit.leaf.userId !== userId) {
      throw new MlsError('invalid', 'Cannot accept a commit that adds or removes its sender');
    }
    const proposals = commit.proposalRefs.map((ref) =>
      this.#proposals.find((known) => known.ref.equals(ref)),
    );
    const expected = this.#proposals.filter((known) => this.isEstablished || known.userId !== userId);
    const isComplete =
      proposals.length === expected.length && expected.every((known) => proposals.includes(known));
    if (!isComplete || expected.length === 0) {
      throw new MlsError('late', 'Cannot accept a commit: its proposals are not the current ones');
    }
    return {
      committer: userId,
      added: proposals.flatMap((known) => known?.keyPackage ?? []),
      removed: expected.filter((known) => !known.keyPackage).map((known) => known.userId),
    };
  }

  /** Applies a commit's effect and goes on to the next epoch. */
  advance({ committer, added, removed }: GroupChange): void {
    if (!this.isEstablished) this.#leaves = [committer];
    this.#leaves = this.#leaves.map((userId) => (userId && removed.includes(userId) ? undefined : userId));
    for (const { userId } of added) {
      const free = this.#leaves.indexOf(undefined);
      this.#leaves[free < 0 ? this.#leaves.length : free] = userId;
    }
    this.#proposals = [];
    this.#epoch++;
  }
}
