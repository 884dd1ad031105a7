import { DAVESession } from '@snazzah/davey';
import {
  type DaveAnswer,
  type DaveClient,
  DAVE_OPCODES,
  DAVE_VERSION,
  type DaveMessage,
} from './dave-frames.ts';
import { isSealed } from './is-sealed.ts';
import { TlsReader } from './tls-reader.ts';
import { FIRST_TRANSITION } from './transitions.ts';

/** An Opus frame of silence. Silence frames are never encrypted, because voice servers generate them too. */
const SILENCE = Buffer.from([0xf8, 0xff, 0xfe]);
/** davey's media type for audio. */
const AUDIO = 0;
/** How long unencrypted frames are accepted after the call has become encrypted. */
const PASSTHROUGH_SECONDS = 10;

/** A member's identity, and functions that connect the member to the call. */
interface DaveMemberOptions {
  readonly userId: string;
  readonly channelId: string;
  /** Called with the member's messages to the voice server. */
  readonly answer: (answer: DaveAnswer) => void;
  /** Returns the ids of everybody in the call. No other user is admitted to the group. */
  readonly present: () => readonly string[];
}

/** Counts of the frames that a member received. */
export interface DaveCounts {
  readonly decrypted: number;
  /** Frames that could not be decrypted. */
  readonly lost: number;
  /** Frames that were unencrypted although they had to be encrypted. */
  readonly plain: number;
}

/** A member's side of the call's encryption, as in Discord's own clients. */
export class DaveMember implements DaveClient {
  readonly userId: string;
  readonly versionMax: number = DAVE_VERSION;
  readonly #options: DaveMemberOptions;
  readonly #pending = new Map<number, number>();
  readonly #counts = { decrypted: 0, lost: 0, plain: 0 };
  #session: DAVESession | undefined;
  /** The protocol version of the frames that the member sends. */
  #version = 0;
  /** The protocol version of the group that the member is in or is about to enter. */
  #groupVersion = 0;

  constructor(options: DaveMemberOptions) {
    this.userId = options.userId;
    this.#options = options;
  }

  get counts(): DaveCounts {
    return this.#counts;
  }

  /** Whether the member's speech is currently encrypted. */
  get isEncrypted(): boolean {
    return this.#version > 0 && this.#session?.ready === true;
  }

  /** The code that members compare to be sure that nobody eavesdrops. Empty while there is no group. */
  get privacyCode(): string {
    return this.#version > 0 ? (this.#session?.voicePrivacyCode ?? '') : '';
  }

  describe(version: number): void {
    this.#version = version;
    if (version > 0) this.#begin(version);
  }

  send(message: DaveMessage): void {
    switch (message.op) {
      case DAVE_OPCODES.prepareTransition:
        return this.#prepare(message.d.transition_id, message.d.protocol_version);
      case DAVE_OPCODES.executeTransition:
        return this.#execute(message.d.transition_id);
      case DAVE_OPCODES.prepareEpoch:
        if (message.d.epoch === 1) this.#begin(message.d.protocol_version);
        return;
      case DAVE_OPCODES.externalSender:
        return this.#session?.setExternalSender(message.payload);
      case DAVE_OPCODES.proposals:
        return this.#propose(message.payload);
      case DAVE_OPCODES.announceCommit:
        return this.#follow(message.payload, (session, commit) => session.processCommit(commit));
      case DAVE_OPCODES.welcome:
        return this.#follow(message.payload, (session, welcome) => session.processWelcome(welcome));
      case DAVE_OPCODES.clientsConnect:
      case DAVE_OPCODES.clientDisconnect:
    }
  }

  /**
   * Returns the frame to send for an Opus frame. Returns undefined, so that the Opus frame is lost, if the call is
   * encrypted but the member has no keys yet.
   */
  encrypt(opus: Buffer): Buffer | undefined {
    if (this.#version === 0 || opus.equals(SILENCE)) return opus;
    return this.#session?.ready ? this.#session.encryptOpus(opus) : undefined;
  }

  /** Returns the Opus frame in another user's frame, or undefined if the member cannot decrypt it. */
  decrypt(userId: string, frame: Buffer): Buffer | undefined {
    if (frame.equals(SILENCE)) return frame;
    const session = this.#session?.ready ? this.#session : undefined;
    const sealed = isSealed(frame);
    if (!sealed && (this.#version === 0 || session?.canPassthrough(userId))) return frame;
    if (!sealed) this.#counts.plain++;
    if (!sealed || !session) return sealed ? this.#lose() : undefined;
    try {
      const opus = session.decrypt(userId, AUDIO, frame);
      this.#counts.decrypted++;
      return opus;
    } catch {
      return this.#lose();
    }
  }

  #lose(): undefined {
    this.#counts.lost++;
  }

  /**
   * Creates a group with only this member, and sends a key package with which the others can add the member to their
   * group.
   */
  #begin(version: number): void {
    const { userId, channelId } = this.#options;
    this.#groupVersion = version;
    if (this.#session) this.#session.reinit(version, userId, channelId);
    else this.#session = new DAVESession(version, userId, channelId);
    this.#options.answer({ op: DAVE_OPCODES.keyPackage, payload: this.#session.getSerializedKeyPackage() });
  }

  #prepare(id: number, version: number): void {
    if (version === 0) this.#session?.setPassthroughMode(true);
    this.#expect(id, version);
  }

  #execute(id: number): void {
    const version = this.#pending.get(id);
    if (version === undefined) return;
    this.#pending.delete(id);
    if (version > this.#version) {
      this.#session?.setPassthroughMode(true);
      this.#session?.setPassthroughMode(false, PASSTHROUGH_SECONDS);
    }
    this.#version = version;
  }

  #propose(payload: Buffer): void {
    const reader = new TlsReader(payload);
    const operation = reader.u8();
    const answer = this.#commitTo(operation, reader.take(reader.left));
    if (answer) this.#options.answer({ op: DAVE_OPCODES.commitWelcome, payload: answer });
  }

  #commitTo(operation: number, proposals: Buffer): Buffer | undefined {
    try {
      const { commit, welcome } =
        this.#session?.processProposals(operation, proposals, [...this.#options.present()]) ?? {};
      return commit && Buffer.concat([commit, welcome ?? Buffer.alloc(0)]);
    } catch {
      // The proposals are for a group that the member has already left: it has asked to be added to a new group.
      return undefined;
    }
  }

  /** Follows the group to its next epoch. If the member cannot, it reports this and asks to be added again. */
  #follow(payload: Buffer, step: (session: DAVESession, message: Buffer) => void): void {
    if (!this.#session) return;
    const reader = new TlsReader(payload);
    const id = reader.u16();
    try {
      step(this.#session, reader.take(reader.left));
    } catch {
      this.#options.answer({ op: DAVE_OPCODES.invalidCommitWelcome, d: { transition_id: id } });
      return this.#begin(this.#groupVersion);
    }
    this.#expect(id, this.#groupVersion);
  }

  #expect(id: number, version: number): void {
    this.#pending.set(id, version);
    if (id === FIRST_TRANSITION) return this.#execute(id);
    this.#options.answer({ op: DAVE_OPCODES.readyForTransition, d: { transition_id: id } });
  }
}
