import type { Clock } from '../base/clock.ts';
import type { Logger } from '../base/log.ts';
import type { GuildsPerShard } from './gateway/gateway-server.ts';
import type { Exchange } from './rest-exchange.ts';
import type { ChatPageOptions } from './page/chat-page.ts';
import type { EncryptionPolicy } from './voice/choose-encryption.ts';
import type { TransportMode } from './voice/transport-cipher.ts';

/** Voice options. */
export interface VoiceOptions {
  /** The heartbeat interval in milliseconds. Default 13,750. */
  readonly heartbeatIntervalMs?: number;
  /** The modes offered to clients, which choose the first one that they support. Default: AES-GCM, then XChaCha20. */
  readonly modes?: readonly TransportMode[];
  /** The seed for all random events. Default 1. */
  readonly seed?: number;
  /** Whether calls are encrypted end to end (DAVE). Default `required`. */
  readonly encryption?: EncryptionPolicy;
}

/** Sandbox options. */
export interface SandboxOptions {
  /** The loopback address to listen on. Default 127.0.0.1. */
  readonly host?: string;
  /** Default 0, which means any free port. */
  readonly port?: number;
  /** The clock for the chat's time limits: for responses (3 s and 15 min), links and nonces. Default: real time. */
  readonly clock?: Clock;
  /** The clock for timing on the wire: rate limits, heartbeats and waits. Default: real time. */
  readonly wireClock?: Clock;
  readonly logger?: Logger;
  /** The heartbeat interval in milliseconds. Default 41,250. */
  readonly heartbeatIntervalMs?: number;
  /** The id of the first application. Default: a new id. */
  readonly applicationId?: string;
  /** The token of the first application. Default: a new token. */
  readonly token?: string;
  /** Whether the first application may use GUILD_MEMBERS, GUILD_PRESENCES and MESSAGE_CONTENT. Default false. */
  readonly privilegedIntents?: boolean;
  /** The number of requests per window that each route for commands allows. Default: 5 in 5 s. */
  readonly commandLimit?: { readonly requests: number; readonly windowMs: number };
  /**
   * The number of guilds per shard that is recommended to a bot, and the maximum that is accepted. Default 1,000 and
   * 2,500.
   */
  readonly guildsPerShard?: GuildsPerShard;
  readonly voice?: VoiceOptions;
  /** Options for the chat page, such as the folder of sample media for its gallery. */
  readonly page?: ChatPageOptions;
  /** Called with every REST request and its response. */
  readonly observe?: (exchange: Exchange) => void;
}
