import type { Client } from 'discord.js';
import type { FastifyInstance } from 'fastify';
import type { AccessLimits } from '../bot/people/access/rules.ts';
import type { Clock } from '../base/clock.ts';
import type { Logger } from '../base/log.ts';
import type { MicroUsd } from '../base/money.ts';
import type { ConfiguredPrices } from '../bot/jobs/prices/configured-prices.ts';
import type { JobLimits } from '../bot/jobs/job-limits.ts';
import type { StepEvent } from '../bot/jobs/run/worker.ts';
import type { Budget, BudgetView } from '../bot/money/caps/budget.ts';
import type { Amount } from '../bot/money/caps/usual-caps.ts';
import type { LiveLimits } from '../bot/sessions/live-limits.ts';
import type { LiveFrameCodec } from '../bot/sessions/live-swap/frame-codec.ts';
import type { LiveSwapLimits } from '../bot/sessions/live-swap/live-swap-limits.ts';
import type { MediaPool } from '../bot/media/pool/media-pool.ts';
import type { MediaApiLimits } from '../media-api/media-api.ts';
import type { ReconciliationLimits } from '../bot/money/reconciliation/context.ts';
import type { Reconciliation } from '../bot/money/reconciliation/reconciliation.ts';
import type { VoiceLimits } from '../bot/sessions/voice-swap/desk/voice-limits.ts';
import type { Readiness } from '../bot/web/health.ts';

export interface MasqueradeOptions {
  /**
   * Your own discord.js client (it needs the intents Guilds and, for voice, GuildVoiceStates; you log it in and out),
   * or what is needed to make one. `apiUrl` is the REST base, default Discord's.
   */
  readonly discord: { readonly client: Client } | OwnClientOptions;
  /**
   * A second bot user: what the first one hears in a voice channel, it speaks in another one. A client of yours with the
   * intents Guilds and GuildVoiceStates (you log it in and out), or a token. Default none.
   */
  readonly stage?: { readonly client: Client } | { readonly token: string };
  /** The only hosts attachments are fetched from, as `host` or `host:port`. Default: Discord's two CDN hosts. */
  readonly attachmentHosts?: readonly string[];
  /**
   * Your own fastify instance, not yet listening, and the prefix for the routes (default `/masquerade`); or
   * where to listen.
   */
  readonly http?: HostWeb | OwnWeb;
  readonly mediaApi: {
    /** Including `/api/v1`. */
    readonly baseUrl: string;
    /** The key; a function is asked before every request, so that the key can be changed at run time. */
    readonly apiKey: string | (() => string);
    /**
     * Secrets that webhooks may be signed with: while one is changed, the old and the new. A function is asked at
     * every webhook. Default none: no webhook is asked for, jobs are polled; what counts is whether there are any
     * at the start.
     */
    readonly signingSecrets?: readonly string[] | (() => readonly string[]);
    /** The service's name in webhook headers. Default `Service`. */
    readonly headerPrefix?: string;
    /** The key's limit. Default 60. */
    readonly requestsPerMinute?: number;
    /** Lets `baseUrl` be plain http elsewhere than on this machine. Default false. */
    readonly allowInsecureHttp?: boolean;
    /** Deadlines and waits of single requests, for a service that is unusually fast or slow. */
    readonly limits?: Partial<MediaApiLimits>;
  };
  /**
   * How the service, and members with links to results, reach the web routes, prefix included; `loopback` when the
   * service runs on this machine and Masquerade has its own server.
   * Default none: no webhook is asked for, jobs are polled; results that are too large are only kept.
   */
  readonly publicUrl?: string;
  /** How members reach the web routes, where that is not `publicUrl`: an http or https address, prefix included. */
  readonly memberUrl?: string;
  /**
   * `sqlite:<path>`, or `postgres://user:password@host/database` for several processes that share one.
   * Default: `masquerade.db` in `dataDir`.
   */
  readonly databaseUrl?: string;
  /** Folder of the database, inputs, results and saved faces; processes that share a database share it. Default `./data`. */
  readonly dataDir?: string;
  /** Budget of a guild that has none of its own. Default $10 a month, UTC. */
  readonly defaultBudget?: Budget;
  /** What no guild can spend more than, whatever its admins set; the operator can allow a guild more. Default none. */
  readonly allowance?: Amount;
  /**
   * What jobs and sessions cost, by capability, for what the service's rate card does not tell; see `ConfiguredPrices`. Default
   * none: then what earlier jobs were charged counts, and before the first 0.10 USD.
   */
  readonly prices?: ConfiguredPrices;
  /** Where commands are published by diff: everywhere, in one guild, or not at all. Default everywhere. */
  readonly registerCommands?: 'globally' | 'never' | { readonly guildId: string };
  readonly jobLimits?: Partial<JobLimits>;
  /** How long silence stays connected, and how many may speak. */
  readonly voiceLimits?: Partial<VoiceLimits>;
  /**
   * What is spoken into a voice channel before anybody is heard: Opus in Ogg, 20 ms a packet, at most 30 s. Default: an
   * English sentence.
   */
  readonly voiceNoticeFile?: string;
  /** Deadlines and waits of paid voice and live sessions. */
  readonly liveLimits?: Partial<LiveLimits>;
  /**
   * How pictures travel to the service in Live Swap Pro, which its API leaves open: a codec of yours, or `jpeg`, that of
   * Masquerade's own media server. Default none: `/live` says what is missing.
   */
  readonly liveCodec?: LiveFrameCodec | 'jpeg';
  /** How long links and waiting pages are good, when a silent one is ended, and how many there may be. */
  readonly liveSwapLimits?: Partial<LiveSwapLimits>;
  /** How often the books are compared with the service, and from when on the operator is told of other use. */
  readonly reconciliation?: Partial<ReconciliationLimits>;
  /**
   * What counts in guilds whose admins set no rules with `/access`. Default: everything is allowed, in every
   * channel, without a pause between two jobs of a member.
   */
  readonly accessDefaults?: Partial<AccessLimits>;
  /** How whoever runs the bot is told of what needs them. */
  readonly operator?: {
    /** The channel where whoever runs the bot is told of what needs them. Default none: it is only logged. */
    readonly channelId?: string | null;
    /** They are told when the service's account holds less, in micro-dollars. Default $5. */
    readonly lowBalance?: MicroUsd;
  };
  /** How long the data of a guild is kept that the bot has left, in milliseconds. Default 30 days. */
  readonly departedKeepMs?: number;
  /**
   * The processes that open members' files, of `openMediaPool`: several bots of one process can share them. Default: a
   * pool of the bot's own.
   */
  readonly mediaPool?: MediaPool;
  readonly logger?: Logger;
  readonly clock?: Clock;
  /** Told about every step of every job; must return at once. */
  readonly onStep?: (event: StepEvent) => void;
  /** Called once if Discord ends the connection of a client that Masquerade made, for good. */
  readonly onLost?: (error: Error) => void;
}

/** What it takes to make a client. */
export interface OwnClientOptions {
  readonly token: string;
  readonly apiUrl?: string;
  /** Shards of the gateway that this process runs. Default: what discord.js's ShardingManager says, or else one. */
  readonly shards?: readonly number[] | 'auto';
  /** How many shards all processes run together. Needed with a list of shards; with `auto` all are run here. */
  readonly shardCount?: number;
}

export interface HostWeb {
  readonly fastify: FastifyInstance;
  readonly prefix?: string;
}

/** A web server of Masquerade's own, without a prefix. */
export interface OwnWeb {
  /** Default `127.0.0.1`. */
  readonly host?: string;
  /** Default 3000; 0 picks a free one. */
  readonly port?: number;
  /**
   * Connections that one public address, or one /64 of IPv6, may have at the same time. Default 100. Addresses of this
   * machine and of private networks are exempt, because a proxy there stands for many callers.
   */
  readonly connectionsPerAddress?: number;
}

/** A running bot. Disposing it ends what it made and leaves what it was given as it was. */
export interface Masquerade extends AsyncDisposable {
  readonly client: Client;
  /** Address of its own web part; null when it lives in a host's server. */
  readonly webUrl: string | null;
  /** Resolves when commands are answered; with a host's client that is after the host has logged it in. */
  readonly ready: Promise<void>;
  /** How the guild's budget stands in its current period. */
  budget(guildId: string): Promise<BudgetView>;
  /** How the books compare with the service: runs in the background, `run` does it now. */
  readonly reconciliation: Pick<Reconciliation, 'run' | 'latest' | 'history'>;
  /** Each part that members depend on, and whether it works. */
  readiness(): Promise<Readiness>;
}
