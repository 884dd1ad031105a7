import type { Clock } from '../base/clock.ts';
import type { Logger } from '../base/log.ts';
import type { GuildsPerShard } from './gateway/gateway-server.ts';
import type { Exchange } from './observe.ts';
import type { ChatPageOptions } from './page/chat-page.ts';
import type { EncryptionPolicy } from './voice/choose-encryption.ts';
import type { TransportMode } from './voice/transport-cipher.ts';

/** How voice differs from the usual. */
export interface VoiceOptions {
  /** Default 13,750. */
  readonly heartbeatIntervalMs?: number;
  /** Offered to clients, which take the first that they know. Default: AES-GCM, then XChaCha20. */
  readonly modes?: readonly TransportMode[];
  /** Of all that happens by chance. Default 1. */
  readonly seed?: number;
  /** Whether calls are encrypted end to end (DAVE). Default `required`. */
  readonly encryption?: EncryptionPolicy;
}

/** How a sandbox differs from the usual. */
export interface SandboxOptions {
  /** A loopback address. Default 127.0.0.1. */
  readonly host?: string;
  /** Default 0: any free port. */
  readonly port?: number;
  /** The time of the chat's rules: 3 s, 15 min, links, nonces. Default the real one. */
  readonly clock?: Clock;
  /** The time by which clients on the wire measure: rate limits, heartbeats, waits. Default the real one. */
  readonly wireClock?: Clock;
  readonly logger?: Logger;
  /** Default 41,250. */
  readonly heartbeatIntervalMs?: number;
  /** Of the first application. Default: a new one. */
  readonly applicationId?: string;
  /** Of the first application. Default: a new one. */
  readonly token?: string;
  /** Whether GUILD_MEMBERS, GUILD_PRESENCES and MESSAGE_CONTENT are switched on. Default false. */
  readonly privilegedIntents?: boolean;
  /** How often commands may be read and written. Default 5 in 5 s. */
  readonly commandLimit?: { readonly requests: number; readonly windowMs: number };
  /** From how many guilds on a bot is told to run another shard, and refused. Default 1,000 and 2,500. */
  readonly guildsPerShard?: GuildsPerShard;
  /** How voice differs from the usual. */
  readonly voice?: VoiceOptions;
  /** Where the files of the chat page's gallery are. */
  readonly page?: ChatPageOptions;
  /** Sees every REST request with its answer. */
  readonly observe?: (exchange: Exchange) => void;
}
