import { z } from 'zod';

/** The voice gateway's opcodes for end-to-end encryption, and the two that report the participants. */
export const DAVE_OPCODES = {
  clientsConnect: 11,
  clientDisconnect: 13,
  prepareTransition: 21,
  executeTransition: 22,
  readyForTransition: 23,
  prepareEpoch: 24,
  externalSender: 25,
  keyPackage: 26,
  proposals: 27,
  commitWelcome: 28,
  announceCommit: 29,
  welcome: 30,
  invalidCommitWelcome: 31,
} as const;

/** The first byte after opcode 27, by operation. */
export const PROPOSALS_OPERATIONS = { append: 0, revoke: 1 } as const;

/** The newest version of the protocol that the sandbox supports; 0 would mean no encryption. */
export const DAVE_VERSION = 1;

/**
 * A message from the voice server to a client. `d` is sent as JSON, and `payload` as bytes after the sequence number
 * and opcode.
 */
export type DaveMessage =
  | { readonly op: 11; readonly d: { readonly user_ids: readonly string[] } }
  | { readonly op: 13; readonly d: { readonly user_id: string } }
  | { readonly op: 21; readonly d: { readonly protocol_version: number; readonly transition_id: number } }
  | { readonly op: 22; readonly d: { readonly transition_id: number } }
  | { readonly op: 24; readonly d: { readonly protocol_version: number; readonly epoch: number } }
  | { readonly op: 25 | 27 | 29 | 30; readonly payload: Buffer };

/** A JSON message from a client to the voice server. */
type DaveFrame = { readonly op: 23 | 31; readonly d: { readonly transition_id: number } };

/** A message from a client to the voice server. */
export type DaveAnswer = DaveFrame | { readonly op: 26 | 28; readonly payload: Uint8Array };

const transition = z.object({ transition_id: z.int().min(0).max(0xffff) });

export const daveFrame: z.ZodType<DaveFrame> = z.discriminatedUnion('op', [
  z.object({ op: z.literal(23), d: transition }),
  z.object({ op: z.literal(31), d: transition }),
]);

/** Parses a binary message from a client. Returns undefined for an opcode that clients do not send. */
export function readDaveAnswer(message: Uint8Array): DaveAnswer | undefined {
  const op = message[0];
  return op === 26 || op === 28 ? { op, payload: message.subarray(1) } : undefined;
}

/** One participant of a call, as the call uses it. */
export interface DaveClient {
  readonly userId: string;
  /** The newest version of the protocol that the client supports, as the client said when it identified. */
  readonly versionMax: number;
  /** Sets the initial version (opcode 4). It is called before `send`. */
  describe(version: number): void;
  send(message: DaveMessage): void;
}
