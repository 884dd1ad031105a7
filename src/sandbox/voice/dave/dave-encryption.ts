import type { Clock } from '../../../base/clock.ts';
import type { Payload } from '../../chat/payload.ts';
import type { CallEncryption, EncryptedClient } from '../call-encryption.ts';
import { DaveCall } from './dave-call.ts';
import { type DaveAnswer, type DaveClient, DAVE_OPCODES, DAVE_VERSION, daveFrame } from './dave-frames.ts';
import { DaveMember } from './dave-member.ts';
import { isSealed } from './sealed.ts';

/** What the encryption of a call is made of. */
export interface DaveEncryptionOptions {
  readonly channelId: string;
  readonly clock: Clock;
  /** Whether clients that cannot encrypt are turned away; else the call goes on in clear while they are there. */
  readonly isRequired: boolean;
  /** Told of what a client did that it may not do, by opcode. */
  readonly onMisuse: (op: number, detail: string) => void;
}

/** Plugs a call's end-to-end encryption (DAVE) into the voice server. */
export class DaveEncryption implements CallEncryption {
  readonly call: DaveCall;
  readonly channelId: string;
  readonly clock: Clock;
  readonly #options: DaveEncryptionOptions;
  readonly #clients = new Map<string, DaveClient>();
  readonly #members = new Map<string, DaveMember>();

  constructor(options: DaveEncryptionOptions) {
    const { channelId, clock } = options;
    this.#options = options;
    this.channelId = channelId;
    this.clock = clock;
    this.call = new DaveCall({
      channelId,
      clock,
      onMisuse: (_client, op, detail) => options.onMisuse(op, detail),
    });
  }

  /** The side of a member that the sandbox plays. */
  member(userId: string): DaveMember | undefined {
    return this.#members.get(userId);
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
        if ('payload' in message) client.sendBinary(message.op, message.payload);
        else client.send(message.op, { ...message.d });
      },
    });
  }

  memberJoined(userId: string): void {
    const member = new DaveMember({
      userId,
      channelId: this.channelId,
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
    if (client) this.call.leave(client);
  }

  receive(userId: string, op: number, data: Payload): void {
    const client = this.#clients.get(userId);
    const frame = daveFrame.safeParse({ op, d: data });
    if (client && frame.success) this.call.receive(client, frame.data);
  }

  receiveBinary(userId: string, op: number, payload: Uint8Array): void {
    const client = this.#clients.get(userId);
    if (client && (op === 26 || op === 28)) this.call.receive(client, { op, payload });
  }

  inClear(frame: Uint8Array): Uint8Array | null {
    return this.call.version === 0 && !isSealed(frame) ? frame : null;
  }

  seal(memberId: string, opus: Uint8Array): Uint8Array | null {
    if (this.call.faults.takePlain(memberId)) return opus;
    return this.#members.get(memberId)?.encrypt(asBuffer(opus)) ?? null;
  }

  open(memberId: string, speakerId: string, frame: Uint8Array): Uint8Array | null {
    return this.#members.get(memberId)?.decrypt(speakerId, asBuffer(frame)) ?? null;
  }

  close(): void {
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
