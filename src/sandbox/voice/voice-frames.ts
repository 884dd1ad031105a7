import { z } from 'zod';
import { SNOWFLAKE } from '../chat/snowflake.ts';
import { TRANSPORT_MODES, type TransportMode } from './transport-cipher.ts';

/**
 * The opcodes of voice gateway v8 that the sandbox itself uses. Opcodes 21 to 31 belong to the end-to-end encryption.
 */
export const VOICE_OPCODES = {
  identify: 0,
  selectProtocol: 1,
  ready: 2,
  heartbeat: 3,
  sessionDescription: 4,
  speaking: 5,
  heartbeatAck: 6,
  resume: 7,
  hello: 8,
  resumed: 9,
  clientsConnect: 11,
  clientDisconnect: 13,
} as const;

/** The end-to-end encryption opcodes that clients send as JSON and as binary messages. */
export const ENCRYPTION_OPCODES = { json: [23, 31], binary: [26, 28] } as const;

/** The close codes with which the voice gateway ends a connection, by reason. */
export const VOICE_CLOSE_CODES = {
  unknownOpcode: 4001,
  decodeError: 4002,
  notAuthenticated: 4003,
  authenticationFailed: 4004,
  alreadyAuthenticated: 4005,
  sessionInvalid: 4006,
  sessionTimedOut: 4009,
  unknownProtocol: 4012,
  disconnected: 4014,
  encryptionRequired: 4017,
  callTerminated: 4022,
} as const;

/** Returns whether a client may resume its session after this close code. */
export function canResumeAfter(code: number): boolean {
  return code === 4015 || (code < 4000 && code !== 1000);
}

/** The `d` property of opcode 0. */
export interface VoiceIdentify {
  readonly server_id: string;
  readonly user_id: string;
  readonly session_id: string;
  readonly token: string;
  readonly max_dave_protocol_version?: number | undefined;
}

/** The `d` property of opcode 7. */
export interface VoiceResume {
  readonly server_id: string;
  readonly session_id: string;
  readonly token: string;
  readonly seq_ack?: number | undefined;
}

/** The `d` property of opcode 1. */
interface SelectProtocol {
  readonly protocol: 'udp';
  readonly data: { readonly address: string; readonly port: number; readonly mode: TransportMode };
}

/** The `d` property of opcode 5 from a client. */
interface ClientSpeaking {
  readonly speaking: number;
  readonly ssrc: number;
}

/** A JSON message that a client may send. */
export type VoiceFrame =
  | { readonly op: 0; readonly d: VoiceIdentify }
  | { readonly op: 1; readonly d: SelectProtocol }
  | { readonly op: 3; readonly d: { readonly t: number; readonly seq_ack?: number | undefined } }
  | { readonly op: 5; readonly d: ClientSpeaking }
  | { readonly op: 7; readonly d: VoiceResume }
  | { readonly op: 23 | 31; readonly d: { readonly transition_id: number } };

const id = z.string().regex(SNOWFLAKE);
const secret = z.string().max(200);
const sequence = z.int().min(-1).max(0xffff).optional();
const transition = z.object({ transition_id: z.int().min(0).max(0xffff) });

/** Validates every JSON message that a client may send. */
export const voiceFrame: z.ZodType<VoiceFrame> = z.discriminatedUnion('op', [
  z.object({
    op: z.literal(0),
    d: z.object({
      server_id: id,
      user_id: id,
      session_id: secret,
      token: secret,
      max_dave_protocol_version: z.int().min(0).max(0xffff).optional(),
    }),
  }),
  z.object({
    op: z.literal(1),
    d: z.object({
      protocol: z.literal('udp'),
      data: z.object({
        address: z.string().max(64),
        port: z.int().min(1).max(0xffff),
        mode: z.enum(TRANSPORT_MODES),
      }),
    }),
  }),
  z.object({ op: z.literal(3), d: z.object({ t: z.number(), seq_ack: sequence }) }),
  z.object({
    op: z.literal(5),
    d: z.object({ speaking: z.int().min(0).max(7), ssrc: z.int().min(0).max(0xffff_ffff) }),
  }),
  z.object({
    op: z.literal(7),
    d: z.object({ server_id: id, session_id: secret, token: secret, seq_ack: sequence }),
  }),
  z.object({ op: z.literal(23), d: transition }),
  z.object({ op: z.literal(31), d: transition }),
]);
