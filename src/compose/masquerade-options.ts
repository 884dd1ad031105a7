import type { Client } from 'discord.js';
import type { FastifyInstance } from 'fastify';
import type { AccessLimits } from '../bot/people/access/rules.ts';
import type { Clock } from '../base/clock.ts';
import type { Logger } from '../base/log.ts';
import type { MicroUsd } from '../base/money.ts';
import type { ConfiguredPrices } from '../bot/jobs/prices/configured-prices.ts';
import type { JobLimits } from '../bot/jobs/job-limits.ts';
import type { StepEvent } from '../bot/jobs/run/worker.ts';
import type { SpendCharts } from '../bot/money/charts/chart-request.ts';
import type { Budget, BudgetView } from '../bot/money/caps/budget.ts';
import type { Amount } from '../bot/money/caps/usual-caps.ts';
import type { SessionLimits } from '../bot/sessions/session-limits.ts';
import type { LiveFrameCodec } from '../bot/sessions/live-swap/live-frame-codec.ts';
import type { LiveSwapLimits } from '../bot/sessions/live-swap/live-swap-limits.ts';
import type { MediaPool } from '../bot/media/pool/media-pool.ts';
import type { MediaApiLimits } from '../media-api/media-api.ts';
import type { ReconciliationLimits } from '../bot/money/reconciliation/reconcile-context.ts';
import type { Reconciliation } from '../bot/money/reconciliation/reconciliation.ts';
import type { VoiceLimits } from '../bot/sessions/voice-swap/desk/voice-limits.ts';
import type { Readiness } from '../bot/web/register-health.ts';

export interface MasqueradeOptions {
  /**
   * Your own discord.js client, or the data to create one. A client of your own needs the intents Guilds and, for
   * voice, GuildVoiceStates; you log it in and out. `apiUrl` is the base URL of the REST API. Default: Discord's.
   */
  readonly discord: { readonly client: Client } | OwnClientOptions;
  /**
   * A second bot user, which plays in another voice channel what the first one hears. Either a token, or your own
   * client with the intents Guilds and GuildVoiceStates, which you log in and out. Default: none.
   */
  readonly stage?: { readonly client: Client } | { readonly token: string };
  /** The only hosts from which attachments are fetched, as `host` or `host:port`. Default: Discord's two CDN hosts. */
  readonly attachmentHosts?: readonly string[];
  /**
   * Your own fastify instance, which must not be listening yet, and the prefix for the routes (default `/masquerade`),
   * or the address on which Masquerade's own server listens.
   */
  readonly http?: HostWeb | OwnWeb;
  readonly mediaApi: {
    /** The base URL of the API, including `/api/v1`. */
    readonly baseUrl: string;
    /** The API key. A function is called before every request, so that the key can change at run time. */
    readonly apiKey: string | (() => string);
    /**
     * The secrets that webhooks may be signed with; during a rotation, the old and the new one. A function is called
     * for every webhook. Default: none. If there are none at startup, no webhooks are requested, and jobs are polled.
     */
    readonly signingSecrets?: readonly string[] | (() => readonly string[]);
    /** The service's name in webhook headers. Default: `Service`. */
    readonly headerPrefix?: string;
    /** The API key's rate limit. Default: 60. */
    readonly requestsPerMinute?: number;
    /** Allows `baseUrl` to be plain http on other machines too. Default: false. */
    readonly allowInsecureHttp?: boolean;
    /**
     * Deadlines and waits for single requests, for a service that is unusually fast or slow. Defaults: see the type.
     */
    readonly limits?: Partial<MediaApiLimits>;
  };
  /**
   * The URL, including the prefix, at which the service and members reach the web routes. Use `loopback` if the service
   * runs on this machine and Masquerade has its own server. Default: none. In that case no webhooks are requested, jobs
   * are polled, and results that are too large for the chat are kept but not sent.
   */
  readonly publicUrl?: string;
  /** The URL at which members reach the web routes, if it is not `publicUrl`: http or https, including the prefix. */
  readonly memberUrl?: string;
  /**
   * `sqlite:<path>`, or `postgres://user:password@host/database` if several processes share the database.
   * Default: `masquerade.db` in `dataDir`.
   */
  readonly databaseUrl?: string;
  /**
   * The folder of the database, inputs, results and saved faces. Processes that share a database must also share this
   * folder. Default: `./data`.
   */
  readonly dataDir?: string;
  /** The budget of a guild that has none of its own. Default: $10 a month, UTC. */
  readonly defaultBudget?: Budget;
  /**
   * The most that a guild can spend, whatever budget its admins set. The operator can allow a guild more.
   * Default: none.
   */
  readonly allowance?: Amount;
  /**
   * Prices for the capabilities that the service's rate card does not list; see `ConfiguredPrices`. Default: none. In
   * that case prices are learned from the charges of earlier jobs. Without earlier charges, a price is 0.10 USD.
   */
  readonly prices?: ConfiguredPrices;
  /**
   * Where commands are published: across all guilds, in one guild, or not at all. Only changed commands are sent.
   * Default: `globally`.
   */
  readonly registerCommands?: 'globally' | 'never' | { readonly guildId: string };
  readonly jobLimits?: Partial<JobLimits>;
  /** For example, how long a silent member stays connected, and how many members a session may have. */
  readonly voiceLimits?: Partial<VoiceLimits>;
  /**
   * The recording that is played in a voice channel before the bot listens to anybody: Opus in Ogg, 20 ms a packet, at
   * most 30 s. Default: an English sentence.
   */
  readonly voiceNoticeFile?: string;
  /** Deadlines and waits for paid sessions. */
  readonly liveLimits?: Partial<SessionLimits>;
  /**
   * The format in which Live Swap Pro sends pictures to the service, which the API does not define: your own codec, or
   * `jpeg`, the format of Masquerade's own media server. Default: none. In that case `/live` replies that a codec is
   * missing.
   */
  readonly liveCodec?: LiveFrameCodec | 'jpeg';
  /**
   * For example, how long links and waiting pages are valid, how long a page may send nothing, and how many pages
   * there may be.
   */
  readonly liveSwapLimits?: Partial<LiveSwapLimits>;
  /**
   * How often the books are compared with the service's records, and the amount of other use above which the operator
   * is notified.
   */
  readonly reconciliation?: Partial<ReconciliationLimits>;
  /**
   * The rules of guilds whose admins set none with `/access`. Default: everything is allowed, in every channel, without
   * a pause between a member's jobs.
   */
  readonly accessDefaults?: Partial<AccessLimits>;
  /** How the operator is notified. */
  readonly operator?: {
    /** The channel for alerts to the operator. Default: none. In that case alerts are only logged. */
    readonly channelId?: string | null;
    /** The operator is notified if the balance at the service is below this amount, in micro-dollars. Default: $5. */
    readonly lowBalance?: MicroUsd;
  };
  /** How long a guild's data is kept after the bot has left the guild, in milliseconds. Default: 30 days. */
  readonly departedKeepMs?: number;
  /**
   * The pool of processes that open members' files, from `openMediaPool`. Several bots in one process can share it.
   * Default: a pool that only this bot uses.
   */
  readonly mediaPool?: MediaPool;
  /** Draws the charts of `/spend show`. Default: a painter that draws each chart in a confined process. */
  readonly charts?: SpendCharts;
  readonly logger?: Logger;
  readonly clock?: Clock;
  /** Called for every step of every job. It must return at once. */
  readonly onStep?: (event: StepEvent) => void;
  /** Called once if Discord permanently ends the connection of a client that Masquerade created. */
  readonly onLost?: (error: Error) => void;
}

/** The data from which Masquerade creates a client. */
export interface OwnClientOptions {
  readonly token: string;
  readonly apiUrl?: string;
  /**
   * The gateway shards that this process runs. Default: those that discord.js's ShardingManager assigns, otherwise one
   * shard.
   */
  readonly shards?: readonly number[] | 'auto';
  /**
   * The total number of shards across all processes. It is required with a list of shards. With `auto`, this process
   * runs all shards.
   */
  readonly shardCount?: number;
}

export interface HostWeb {
  readonly fastify: FastifyInstance;
  readonly prefix?: string;
}

/** Masquerade's own web server, which has no prefix. */
export interface OwnWeb {
  /** The address on which the server listens. Default: `127.0.0.1`. */
  readonly host?: string;
  /** The port of the server. With 0, a free port is chosen. Default: 3000. */
  readonly port?: number;
  /**
   * The number of connections that one public address (in IPv6, one /64) can have at the same time. Default: 100.
   * Addresses of this machine and of private networks are exempt, because a proxy at such an address may serve many
   * callers.
   */
  readonly connectionsPerAddress?: number;
}

/** A running bot. Disposal closes everything that it opened, and leaves the host's client and server as they were. */
export interface Masquerade extends AsyncDisposable {
  readonly client: Client;
  /** The URL of Masquerade's own web server. Null if the routes are part of a host's server. */
  readonly webUrl: string | null;
  /** Resolves when the bot answers commands. With a host's client, this is after the host has logged it in. */
  readonly ready: Promise<void>;
  /** Returns the guild's budget in its current period. */
  budget(guildId: string): Promise<BudgetView>;
  /** The comparison of the books with the service's records. It runs in the background; `run` starts it at once. */
  readonly reconciliation: Pick<Reconciliation, 'run' | 'latest' | 'history'>;
  /** Checks each part that members depend on. */
  readiness(): Promise<Readiness>;
}
