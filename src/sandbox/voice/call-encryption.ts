import type { Payload } from '../chat/payload.ts';

/** A bot's connection to a call, as its end-to-end encryption sees it. */
export interface EncryptedClient {
  readonly userId: string;
  /** What the client told when it identified: 0 when it cannot encrypt end to end. */
  readonly maxProtocolVersion: number;
  /** Sends a JSON opcode (21, 22, 24); it is numbered and replayed like all others. */
  send(op: number, data: Payload): void;
  /** Sends a binary opcode (25, 27, 29, 30): `u16 seq, u8 op, payload` on the wire. */
  sendBinary(op: number, payload: Uint8Array): void;
}

/**
 * The end-to-end encryption of one call: the seam where DAVE is plugged in (`CallsOptions.encryption`). All methods
 * are called in the order in which things happen, and none may throw for what a client sent.
 */
export interface CallEncryption {
  /** Told to a client with its session description (op 4); 0: frames go in clear. */
  versionFor(client: EncryptedClient): number;
  /** Whether the client must be turned away with 4017. */
  refuses(client: EncryptedClient): boolean;
  /** A client has its session description and takes part from now on. */
  clientJoined(client: EncryptedClient): void;
  /** A member played by the sandbox takes part from now on. */
  memberJoined(userId: string): void;
  /** A client or member takes part no more. */
  left(userId: string): void;
  /** Opcode 23 or 31 of a client. */
  receive(userId: string, op: number, data: Payload): void;
  /** Opcode 26 or 28 of a client. */
  receiveBinary(userId: string, op: number, payload: Uint8Array): void;
  /** The Opus packet in a client's frame where the call goes on in clear; null when only members can read it. */
  inClear(frame: Uint8Array): Uint8Array | null;
  /** Sends a client a packet: at once, or after the moment that it takes to take over new keys. */
  forward(userId: string, send: () => void): void;
  /** A member's Opus packet as it leaves the member; null when the member cannot send yet. */
  seal(memberId: string, opus: Uint8Array): Uint8Array | null;
  /** What a member reads of a speaker's frame; null when it cannot be read. */
  open(memberId: string, speakerId: string, frame: Uint8Array): Uint8Array | null;
  /** The call is over for good. */
  close(): void;
}

/** A call without encryption between its members (`dave_protocol_version` 0). */
export const PLAIN_CALL: CallEncryption = {
  versionFor: () => 0,
  refuses: () => false,
  clientJoined: () => undefined,
  memberJoined: () => undefined,
  left: () => undefined,
  receive: () => undefined,
  receiveBinary: () => undefined,
  inClear: (frame) => frame,
  forward: (_userId, send) => send(),
  seal: (_memberId, opus) => opus,
  open: (_memberId, _speakerId, frame) => frame,
  close: () => undefined,
};
