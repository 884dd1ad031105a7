import type { Clock, Timer } from '../../../base/clock.ts';
import type { Payload } from '../../chat/payload.ts';
import type { CallEncryption, EncryptedClient } from '../call-encryption.ts';
import { DaveCall } from './dave-call.ts';
import { type DaveAnswer, type DaveClient, DAVE_OPCODES, DAVE_VERSION, daveFrame } from './dave-frames.ts';
import { DaveMember } from './dave-member.ts';
import { Followers } from './followers.ts';
import { rekey } from './rekey.ts';
import { isSealed } from './is-sealed.ts';
import { FIRST_TRANSITION } from './transitions.ts';

/** Options for a call's encryption. */
interface DaveEncryptionOptions {
  readonly channelId: string;
  readonly clock: Clock;
  /**
   * Whether clients without encryption are rejected. If false, one such client in a call makes it unencrypted.
   */
  readonly isRequired: boolean;
  /** Returns a user id that no user has. */
  readonly newUserId: () => string;
  /** Called when a client sends a message that it may not send, with the message's opcode. */
  readonly onMisuse: (op: number, detail: string) => void;
}

/** Connects a call's end-to-end encryption (DAVE) to the voice server. */
export class DaveEncryption implements CallEncryption {
  readonly call: DaveCall;
  readonly #options: DaveEncryptionOptions;
  readonly #clients = new Map<string, DaveClient>();
  readonly #members = new Map<string, DaveMember>();
  readonly #followers: Followers;
  readonly #rekeying = new Set<Timer>();

  constructor(options: DaveEncryptionOptions) {
    this.#options = options;
    this.#followers = new Followers(options.clock);
    this.call = new DaveCall({
      channelId: options.channelId,
      clock: options.clock,
      onMisuse: (_client, op, detail) => options.onMisuse(op, detail),
    });
  }

  /** Returns the client of a member that the sandbox controls. */
  member(userId: string): DaveMember | undefined {
    return this.#members.get(userId);
  }

  /** Whether a user is in the group of the current epoch. */
  includes(userId: string): boolean {
    const client = this.#clients.get(userId);
    return client !== undefined && this.call.isMember(client);
  }

  /** Makes everybody agree on new keys, twice in a row. */
  rekey(): void {
    const { channelId, clock, newUserId } = this.#options;
    rekey(this.call, { channelId, clock, userId: newUserId() });
  }

  /** Calls `rekey` at this interval until disposed, or until the call ends permanently. */
  rekeyEvery(intervalMs: number): Disposable {
    let timer: Timer | undefined;
    const stop = (): void => {
      timer?.cancel();
      if (timer) this.#rekeying.delete(timer);
    };
    const next = (): void => {
      stop();
      timer = this.#options.clock.after(intervalMs, again, { background: true });
      this.#rekeying.add(timer);
    };
    const again = (): void => {
      this.rekey();
      next();
    };
    next();
    return { [Symbol.dispose]: stop };
  }

  versionFor({ maxProtocolVersion }: EncryptedClient): number {
    return this.call.versionWith(maxProtocolVersion);
  }

  refuses({ maxProtocolVersion }: EncryptedClient): boolean {
    return this.#options.isRequired && maxProtocolVersion < DAVE_VERSION;
  }

  clientJoined(client: EncryptedClient): void {
    const { userId } = client;
    this.left(userId);
    this.#join({
      userId,
      versionMax: client.maxProtocolVersion,
      describe: () => undefined,
      send: (message) => {
        if (message.op === DAVE_OPCODES.announceCommit) {
          const id = message.payload.readUInt16BE();
          if (id !== FIRST_TRANSITION) this.#followers.expect(userId, id);
        }
        if ('payload' in message) client.sendBinary(message.op, message.payload);
        else client.send(message.op, { ...message.d });
      },
    });
  }

  memberJoined(userId: string): void {
    const member = new DaveMember({
      userId,
      channelId: this.#options.channelId,
      answer: (answer) => this.#answer(member, answer),
      present: () => [...this.call.clients].map((client) => client.userId),
    });
    this.#members.set(userId, member);
    this.#join(member);
  }

  left(userId: string): void {
    const client = this.#clients.get(userId);
    this.#clients.delete(userId);
    this.#members.delete(userId);
    this.#followers.release(userId);
    if (client) this.call.leave(client);
  }

  receive(userId: string, op: number, data: Payload): void {
    const client = this.#clients.get(userId);
    const frame = daveFrame.safeParse({ op, d: data });
    if (!client || !frame.success) return;
    this.call.receive(client, frame.data);
    this.#followers.ready(userId, frame.data.d.transition_id);
  }

  receiveBinary(userId: string, op: number, payload: Uint8Array): void {
    const client = this.#clients.get(userId);
    if (client && (op === 26 || op === 28)) this.call.receive(client, { op, payload });
  }

  inClear(frame: Uint8Array): Uint8Array | null {
    return this.call.version === 0 && !isSealed(frame) ? frame : null;
  }

  forward(userId: string, send: () => void): void {
    this.#followers.send(userId, send);
  }

  seal(memberId: string, opus: Uint8Array): Uint8Array | null {
    // A lone participant sends unencrypted frames: there is nobody to agree on keys with, and nobody who hears them.
    if (this.call.clients.size < 2 || this.call.faults.takePlain(memberId)) return opus;
    return this.#members.get(memberId)?.encrypt(asBuffer(opus)) ?? null;
  }

  open(memberId: string, speakerId: string, frame: Uint8Array): Uint8Array | null {
    return this.#members.get(memberId)?.decrypt(speakerId, asBuffer(frame)) ?? null;
  }

  close(): void {
    for (const timer of this.#rekeying) timer.cancel();
    this.#rekeying.clear();
    this.#followers.close();
    this.call[Symbol.dispose]();
  }

  #join(client: DaveClient): void {
    this.#clients.set(client.userId, client);
    this.call.join(client);
  }

  #answer(member: DaveMember, answer: DaveAnswer): void {
    const isCommit = answer.op === DAVE_OPCODES.commitWelcome;
    if (!isCommit || !this.call.faults.membersKeepQuiet) this.call.receive(member, answer);
  }
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
