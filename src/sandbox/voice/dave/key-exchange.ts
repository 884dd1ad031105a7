import type { Clock, Timer } from '../../../base/clock.ts';
import { readCommit } from './commit.ts';
import type { DaveFaults } from './dave-faults.ts';
import {
  DAVE_OPCODES,
  DAVE_VERSION,
  type DaveClient,
  type DaveMessage,
  PROPOSALS_OPERATIONS,
} from './dave-frames.ts';
import { DaveGroup, type GroupChange, type GroupProposal } from './dave-group.ts';
import { ExternalSender } from './external-sender.ts';
import { readKeyPackage } from './key-package.ts';
import { MlsError } from './mls-error.ts';
import { u16, u8, vector } from './tls-bytes.ts';
import { FIRST_TRANSITION, TRANSITION_TIMEOUT_MS, type Transitions } from './transitions.ts';
import { Welcome } from './welcome.ts';

/** A client's relation to the group. */
type Standing =
  /** The client has not sent a key package. */
  | { readonly is: 'new' }
  /** The client waits for a Welcome, alone in a group of its own. */
  | { readonly is: 'pending' }
  | { readonly is: 'member' }
  /** The client could not follow the group. Its leaf is still in the group, and its next key package is expected. */
  | { readonly is: 'lost'; readonly timer: Timer };

/** Options for a key exchange. */
interface KeyExchangeOptions {
  readonly channelId: string;
  readonly clock: Pick<Clock, 'after'>;
  readonly transitions: Transitions;
  readonly faults: DaveFaults;
}

/**
 * Makes the clients of a call agree on keys: the voice server proposes who is added and removed, and one of the clients
 * commits.
 */
export class KeyExchange {
  readonly #options: KeyExchangeOptions;
  readonly #sender = new ExternalSender();
  readonly #standings = new Map<DaveClient, Standing>();
  readonly #introduced = new WeakSet<DaveClient>();
  #group: DaveGroup;
  /**
   * Whether the call is unencrypted until the group's first transition. All clients must then make that transition
   * together.
   */
  #isUpgrade = false;

  constructor(options: KeyExchangeOptions) {
    this.#options = options;
    this.#group = this.#newGroup();
  }

  get epoch(): bigint {
    return this.#group.epoch;
  }

  isMember(client: DaveClient): boolean {
    return this.#standings.get(client)?.is === 'member';
  }

  /** Adds a client. The client then creates a session and sends its key package. */
  enter(client: DaveClient): void {
    this.#stand(client, { is: 'new' });
    this.#introduce(client);
  }

  leave(client: DaveClient): void {
    this.#stand(client, undefined);
    const [alone, ...others] = this.#standings.keys();
    if (!alone) this.#group = this.#newGroup();
    else if (others.length === 0 && this.#group.isEstablished) this.restart([alone]);
    else {
      this.#withdrawAdd(client.userId);
      this.#propose(this.#group.proposeRemove(client.userId));
    }
  }

  /** Deletes the group and all clients' relations to it. The call continues unencrypted. */
  stop(): void {
    for (const client of this.#standings.keys()) this.#stand(client, undefined);
    this.#group = this.#newGroup();
  }

  /** Makes everybody create a new group (opcode 24 with epoch 1). With `isUpgrade`, the call was unencrypted before. */
  restart(clients: Iterable<DaveClient>, isUpgrade = false): void {
    this.stop();
    this.#isUpgrade = isUpgrade;
    const all = [...clients];
    for (const client of all) {
      this.#stand(client, { is: 'new' });
      client.send({ op: DAVE_OPCODES.prepareEpoch, d: { protocol_version: DAVE_VERSION, epoch: 1 } });
      this.#introduce(client);
    }
    // A single client gets no commit, so it changes to its new state at once.
    const [alone] = all;
    if (alone && all.length === 1) {
      alone.send({
        op: DAVE_OPCODES.prepareTransition,
        d: { protocol_version: DAVE_VERSION, transition_id: FIRST_TRANSITION },
      });
    }
  }

  /** Handles opcode 26. Throws `MlsError`. */
  takeKeyPackage(client: DaveClient, payload: Uint8Array): void {
    const standing = this.#standings.get(client);
    if (!standing) return;
    const keyPackage = readKeyPackage(payload, client.userId);
    if (standing.is === 'pending') this.#withdrawAdd(client.userId);
    const removal = this.#group.proposeRemove(client.userId);
    this.#stand(client, { is: 'pending' });
    const addition = this.#group.proposeAdd(keyPackage);
    if (!this.#group.isEstablished) this.#append(client, this.#group.proposals);
    this.#propose(removal, addition);
  }

  /** Handles opcode 28: the first valid commit is announced. Throws `MlsError`. */
  takeCommit(client: DaveClient, payload: Uint8Array): void {
    const standing = this.#standings.get(client)?.is;
    if (standing !== (this.#group.isEstablished ? 'member' : 'pending')) {
      throw new MlsError('late', 'Cannot accept a commit: its sender is not in the group');
    }
    const { commit, rest } = readCommit(payload);
    const change = this.#group.evaluate(client.userId, commit);
    const welcomes = readWelcomes(rest, change);
    if (this.#options.faults.losesCommitsTo(this.#group.proposals)) return;
    const isFirst = !this.#group.isEstablished && !this.#isUpgrade && !this.#options.faults.numbersFirst;
    this.#group.advance(change);
    this.#isUpgrade = false;
    this.#announce(client, commit.message, { welcomes, isFirst });
  }

  /**
   * Handles opcode 31: a client could not follow. It is removed, and added again with the next key package that it
   * sends.
   */
  takeComplaint(client: DaveClient): void {
    const standing = this.#standings.get(client)?.is;
    if (standing === 'pending') {
      this.#stand(client, { is: 'new' });
      this.#withdrawAdd(client.userId);
    }
    if (standing !== 'member') return;
    const timer = this.#options.clock.after(TRANSITION_TIMEOUT_MS, () => this.#giveUp(client), {
      background: true,
    });
    this.#stand(client, { is: 'lost', timer });
    if (this.#all('member').length === 0) this.#regroup();
  }

  #giveUp(client: DaveClient): void {
    this.#stand(client, { is: 'new' });
    this.#propose(this.#group.proposeRemove(client.userId));
  }

  /** Creates a new group for the waiting clients. Called when no client is left that could commit. */
  #regroup(): void {
    const waiting = this.#group.proposals.flatMap((known) => known.keyPackage ?? []);
    for (const client of this.#all('lost')) this.#stand(client, { is: 'new' });
    this.#group = this.#newGroup();
    const proposals = waiting.map((keyPackage) => this.#group.proposeAdd(keyPackage));
    this.#propose(...proposals);
  }

  #announce(
    committer: DaveClient,
    message: Buffer,
    { welcomes, isFirst }: { readonly welcomes: ReadonlyMap<string, Buffer>; readonly isFirst: boolean },
  ): void {
    const members = new Set([committer, ...this.#all('member')]);
    const welcomed = this.#all('pending').filter((client) => client !== committer);
    const id = isFirst ? FIRST_TRANSITION : this.#options.transitions.begin([...members, ...welcomed]);
    for (const client of [...members, ...welcomed]) this.#stand(client, { is: 'member' });
    for (const client of members) {
      client.send({ op: DAVE_OPCODES.announceCommit, payload: Buffer.concat([u16(id), message]) });
    }
    for (const client of welcomed) {
      const welcome = this.#options.faults.corrupt(welcomes.get(client.userId) ?? Buffer.alloc(0));
      client.send({ op: DAVE_OPCODES.welcome, payload: Buffer.concat([u16(id), welcome]) });
    }
  }

  #propose(...proposals: readonly (GroupProposal | undefined)[]): void {
    const fresh = proposals.filter((proposal) => proposal !== undefined);
    if (fresh.length === 0) return;
    const audience = this.#audience();
    if (this.#group.isEstablished && audience.length === 0) return this.#regroup();
    for (const client of audience) this.#append(client, fresh);
  }

  /**
   * Withdraws the proposal to add a user. All other proposals are withdrawn as well and made again, because davey
   * answers a revocation with a commit that lacks the Welcome.
   */
  #withdrawAdd(userId: string): void {
    const withdrawn = this.#group.withdrawAdd(userId);
    if (!withdrawn) return;
    const kept = this.#group.proposals;
    for (const client of this.#audience()) {
      const known = this.#group.isEstablished ? kept : kept.filter((other) => other.userId !== client.userId);
      const refs = [withdrawn, ...known].map(({ ref }) => vector(ref));
      client.send(proposals(PROPOSALS_OPERATIONS.revoke, refs));
      this.#append(client, known);
    }
  }

  /** Sends new proposals to a client. In a group that is not established, a client gets no proposal to add itself. */
  #append(client: DaveClient, fresh: readonly GroupProposal[]): void {
    const foreign = fresh.filter((known) => this.#group.isEstablished || known.userId !== client.userId);
    if (foreign.length === 0) return;
    const messages = foreign.map(({ message }) => message);
    client.send(proposals(PROPOSALS_OPERATIONS.append, messages));
  }

  /** Returns the clients that receive proposals: those that could commit to them. */
  #audience(): DaveClient[] {
    return this.#all(this.#group.isEstablished ? 'member' : 'pending');
  }

  #all(is: Standing['is']): DaveClient[] {
    return [...this.#standings].filter(([, standing]) => standing.is === is).map(([client]) => client);
  }

  #stand(client: DaveClient, standing: Standing | undefined): void {
    const before = this.#standings.get(client);
    if (before?.is === 'lost') before.timer.cancel();
    if (standing) this.#standings.set(client, standing);
    else this.#standings.delete(client);
  }

  #introduce(client: DaveClient): void {
    if (this.#introduced.has(client)) return;
    this.#introduced.add(client);
    client.send({ op: DAVE_OPCODES.externalSender, payload: this.#sender.package });
  }

  #newGroup(): DaveGroup {
    return new DaveGroup(this.#options.channelId, this.#sender);
  }
}

function proposals(operation: number, items: readonly Buffer[]): DaveMessage {
  return { op: DAVE_OPCODES.proposals, payload: Buffer.concat([u8(operation), vector(...items)]) };
}

/** Returns the Welcome for each added user, by user id. */
function readWelcomes(rest: Buffer, { added }: GroupChange): Map<string, Buffer> {
  const found = new Map<string, Buffer>();
  if (added.length === 0 && rest.byteLength === 0) return found;
  const welcome = Welcome.read(rest);
  for (const { userId, ref } of added) {
    const own = welcome.for(ref);
    if (own) found.set(userId, own);
  }
  if (found.size !== added.length || welcome.size !== added.length) {
    throw new MlsError('invalid', 'Cannot accept a commit: its Welcome is not for the members that it adds');
  }
  return found;
}
