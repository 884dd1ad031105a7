import type { Payload } from '../chat/payload.ts';

/** A bot's connection to a call, as the call's end-to-end encryption uses it. */
export interface EncryptedClient {
  readonly userId: string;
  /** The version that the client sent when it identified; 0 if it does not support end-to-end encryption. */
  readonly maxProtocolVersion: number;
  /** Sends a JSON message (opcode 21, 22 or 24). It is numbered and replayed like all other messages. */
  send(op: number, data: Payload): void;
  /** Sends a binary message (opcode 25, 27, 29 or 30): `u16 seq, u8 op, payload` on the wire. */
  sendBinary(op: number, payload: Uint8Array): void;
}

/**
 * The end-to-end encryption of one call. DAVE implements this interface; `CallsOptions.encryption` creates an object
 * for each call. The methods are called in the order of events. They must not throw because of a client's message.
 */
export interface CallEncryption {
  /**
   * Returns the version that a client receives with its session description (op 4). With 0, frames are not encrypted.
   */
  versionFor(client: EncryptedClient): number;
  /** Whether the client must be rejected with 4017. */
  refuses(client: EncryptedClient): boolean;
  /** Called when a client has received its session description and so becomes a participant. */
  clientJoined(client: EncryptedClient): void;
  /** Called when a member controlled by the sandbox becomes a participant. */
  memberJoined(userId: string): void;
  /** Called when a client or member leaves the call. */
  left(userId: string): void;
  /** Handles opcode 23 or 31 from a client. */
  receive(userId: string, op: number, data: Payload): void;
  /** Handles opcode 26 or 28 from a client. */
  receiveBinary(userId: string, op: number, payload: Uint8Array): void;
  /** Returns the Opus packet in a client's frame, or null if the call or the frame is encrypted. */
  inClear(frame: Uint8Array): Uint8Array | null;
  /**
   * Calls `send`, which sends a packet to a client. The call is made at once, or slightly later if the client is still
   * switching to new keys.
   */
  forward(userId: string, send: () => void): void;
  /** Returns the frame that a member sends for an Opus packet, or null if the member cannot send yet. */
  seal(memberId: string, opus: Uint8Array): Uint8Array | null;
  /** Returns a speaker's frame as a member decrypts it, or null if the member cannot decrypt it. */
  open(memberId: string, speakerId: string, frame: Uint8Array): Uint8Array | null;
  /** Ends the call permanently. */
  close(): void;
}

/** A call without end-to-end encryption (`dave_protocol_version` 0). */
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
