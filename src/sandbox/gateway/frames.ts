import { z } from 'zod';

/** The opcodes of gateway v10. */
export const OPCODES = {
  dispatch: 0,
  heartbeat: 1,
  identify: 2,
  presence: 3,
  voiceState: 4,
  resume: 6,
  reconnect: 7,
  requestMembers: 8,
  invalidSession: 9,
  hello: 10,
  heartbeatAck: 11,
} as const;

/** The codes with which the gateway closes a connection, by reason. */
export const CLOSE_CODES = {
  unknownOpcode: 4001,
  decodeError: 4002,
  notAuthenticated: 4003,
  authenticationFailed: 4004,
  alreadyAuthenticated: 4005,
  invalidSequence: 4007,
  rateLimited: 4008,
  sessionTimedOut: 4009,
  invalidShard: 4010,
  shardingRequired: 4011,
  invalidVersion: 4012,
  invalidIntents: 4013,
  disallowedIntents: 4014,
} as const;

/** The size of the largest payload that a client may send. */
export const CLIENT_PAYLOAD_BYTES_MAX = 4096;

/** The id of a session's shard, and the number of all shards. */
export type Shard = readonly [id: number, count: number];

/** The `d` property of opcode 2. */
export interface Identify {
  readonly token: string;
  readonly intents: number;
  readonly shard?: Shard | undefined;
}

/** The `d` property of opcode 6. */
export interface Resume {
  readonly token: string;
  readonly session_id: string;
  readonly seq: number;
}

/** A client's request to join, leave or change voice channels, or to mute or deafen itself (opcode 4). */
export interface VoiceStateRequest {
  readonly guild_id: string;
  readonly channel_id: string | null;
  readonly self_mute: boolean;
  readonly self_deaf: boolean;
}

/** The `d` property of opcode 8. */
export interface MembersRequest {
  readonly guild_id: string;
  readonly query?: string | undefined;
  readonly limit?: number | undefined;
  readonly user_ids?: string | readonly string[] | undefined;
  readonly nonce?: string | undefined;
}

/** A message that a client may send. */
export type ClientFrame =
  | { readonly op: 1; readonly d: number | null }
  | { readonly op: 2; readonly d: Identify }
  | { readonly op: 3; readonly d: unknown }
  | { readonly op: 4; readonly d: VoiceStateRequest }
  | { readonly op: 6; readonly d: Resume }
  | { readonly op: 8; readonly d: MembersRequest };

const id = z.string().regex(/^\d{17,19}$/);
const presence = z.looseObject({ status: z.string() });

/** Every message that a client may send. All fields are checked, except for most fields of a presence. */
export const clientFrame: z.ZodType<ClientFrame> = z.discriminatedUnion('op', [
  z.object({ op: z.literal(1), d: z.int().min(0).nullable() }),
  z.object({
    op: z.literal(2),
    d: z.object({
      token: z.string().max(200),
      intents: z.int().min(0),
      properties: z.looseObject({ os: z.string(), browser: z.string(), device: z.string() }),
      compress: z.boolean().nullish(),
      large_threshold: z.int().min(50).max(250).nullish(),
      shard: z.tuple([z.int().min(0), z.int().min(1)]).optional(),
      presence: presence.nullish(),
    }),
  }),
  z.object({ op: z.literal(3), d: presence }),
  z.object({
    op: z.literal(4),
    d: z.object({
      guild_id: id,
      channel_id: id.nullable(),
      self_mute: z.boolean(),
      self_deaf: z.boolean(),
    }),
  }),
  z.object({
    op: z.literal(6),
    d: z.object({ token: z.string().max(200), session_id: z.string().max(100), seq: z.int().min(0) }),
  }),
  z.object({
    op: z.literal(8),
    d: z.object({
      guild_id: id,
      query: z.string().optional(),
      limit: z.int().min(0).optional(),
      presences: z.boolean().optional(),
      user_ids: z.union([id, z.array(id).max(100)]).optional(),
      nonce: z.string().max(32).optional(),
    }),
  }),
]);
