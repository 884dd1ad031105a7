import { ServiceError } from '../../base/errors.ts';
import type { LogLevel } from '../../base/log.ts';
import type { MicroUsd } from '../../base/money.ts';
import type { PriceList } from './price-list.ts';
import type { LIVE_CODECS } from '../../base/setting-rules.ts';

/** Everything that can be set, complete. */
export interface Settings {
  readonly discord: DiscordSettings;
  readonly mediaApi: MediaApiSettings;
  readonly mediaServer: MediaServerSettings;
  readonly chatPage: ChatPageSettings;
  readonly storage: StorageSettings;
  readonly web: WebSettings;
  readonly budget: BudgetSettings;
  readonly access: AccessSettings;
  readonly voice: VoiceSettings;
  readonly live: LiveSettings;
  readonly operator: OperatorSettings;
  /** How much is logged. Default `info`. */
  readonly logLevel: LogLevel;
}

interface DiscordSettings {
  /** Bot token. Default null: the sandbox takes Discord's place. */
  readonly token: string | null;
  /** Token of a second bot user that speaks in another voice channel. Default null. */
  readonly stageToken: string | null;
  /** REST base; the gateway's address comes from it. Default null: Discord's own. https, or http on loopback. */
  readonly apiUrl: string | null;
  /** The only hosts, as `host` or `host:port`, that attachments are fetched from. Default: Discord's two; 1 to 20. */
  readonly cdnHosts: readonly string[];
  /** The shards of the gateway that this process runs: ids below `shardCount`. Default `auto`: all of them. */
  readonly shards: readonly number[] | 'auto';
  /** How many shards all processes run together. Default null: as many as Discord recommends. 1 to 16,384. */
  readonly shardCount: number | null;
}

interface MediaApiSettings {
  /** Base URL including `/api/v1`. Default null: the embedded media server. https, or http on loopback. */
  readonly url: string | null;
  /** Bearer key. Default null: the embedded server's own. */
  readonly key: string | null;
  /** File that holds the key in its place; read again when it changes. Default null. */
  readonly keyFile: string | null;
  /** Webhook secrets valid now, several during a rotation. Default none: the embedded server's own. At most 5. */
  readonly signingSecrets: readonly string[];
  /** File that holds them, comma-separated, in their place; read again when it changes. Default null. */
  readonly signingSecretFile: string | null;
  /** The service's name in webhook headers. Default `Service`. */
  readonly headerPrefix: string;
  /** The key's limit. Default 60, range 1 to 100,000. */
  readonly requestsPerMinute: number;
  /** Prices of jobs for what the service's rate card does not tell. Default none: learned from what jobs cost. */
  readonly prices: PriceList;
  /** Lets `url` and `web.publicUrl` be plain http elsewhere than on loopback. Default false. */
  readonly allowHttp: boolean;
}

interface MediaServerSettings {
  /** TCP port on loopback. Default 4100, range 0 to 65,535; 0 picks a free one. */
  readonly port: number;
  /** Default null: made at the first start. */
  readonly apiKey: string | null;
  /** Default null: made at the first start. */
  readonly signingSecret: string | null;
  /** Limit of each key. Default 60, range 1 to 100,000. */
  readonly requestsPerMinute: number;
  /** Path or name of a system FFmpeg to read and write clips with. Default null: the optional packages. */
  readonly ffmpeg: string | null;
  /** Where the console page answers callers from elsewhere. Default none: only direct callers from this machine. */
  readonly consoleOrigins: readonly string[];
}

/** The chat page of the sandbox, which takes Discord's place. */
export interface ChatPageSettings {
  /** Address to listen on. Default `127.0.0.1`; another one opens the page to a trusted network. */
  readonly host: string;
  /** TCP port. Default 0: picks a free one; at most 65,535. */
  readonly port: number;
  /** Where browsers open it, if not at host and port: behind a proxy, or with `0.0.0.0`. Default null. http or https, no path. */
  readonly url: string | null;
}

interface StorageSettings {
  /** `sqlite:<path>`, or `postgres://user:password@host/database` for several processes that share one. Default `sqlite:<dataDir>/masquerade.db`. */
  readonly databaseUrl: string;
  /** Folder of the database, kept results and the media server's files. Default `./data`. */
  readonly dataDir: string;
  /** How many days the data of a community is kept that the bot has left. Default 30, range 0 to 3,650. */
  readonly departedKeepDays: number;
}

interface WebSettings {
  /** Address to listen on. Default `127.0.0.1`. */
  readonly host: string;
  /** TCP port. Default 3000, range 0 to 65,535; 0 picks a free one. */
  readonly port: number;
  /** Connections of one public address (IPv6: of a /64) at the same time. Default 100, range 1 to 2,000. */
  readonly connectionsPerAddress: number;
  /** How the outside reaches the web part. Default null: no webhooks are asked for. https, or http on loopback. */
  readonly publicUrl: string | null;
}

/** The budget of a community whose admins have set none. */
interface BudgetSettings {
  /** Per period, in micro-dollars. Default 10 USD, range 0 to 1,000,000 USD. */
  readonly limit: MicroUsd;
  /** Default `month`. */
  readonly period: 'day' | 'week' | 'month' | 'total';
  /** IANA name of the zone whose calendar counts. Default `UTC`. */
  readonly timeZone: string;
  /** What no community's admins can go above, in micro-dollars. Default null: nothing. Range as `limit`. */
  readonly allowance: MicroUsd | null;
  /** How often the allowance begins anew. Default `month`. */
  readonly allowancePeriod: 'day' | 'week' | 'month' | 'total';
}

/** What counts in a community whose admins have set no rules. */
interface AccessSettings {
  /** Seconds between two jobs of a member. Default 0: none. At most 86,400. */
  readonly cooldownSeconds: number;
  /** Jobs of one member at once. Default null: no limit of its own. Range 1 to 50. */
  readonly concurrentMax: number | null;
  /** Jobs in age-restricted channels only. Default false. */
  readonly ageRestrictedOnly: boolean;
}

/** Live voice conversion. */
interface VoiceSettings {
  /** Seconds of a speaker's silence after which their paid connection is closed. Default 60, range 5 to 3,600. */
  readonly idleSeconds: number;
  /** Opus in Ogg, spoken before anybody is heard. Default null: an English sentence. */
  readonly noticeFile: string | null;
}

/** Live Swap Pro. */
interface LiveSettings {
  /** How pictures travel to the service: `jpeg` as to the embedded one. Default null: that with the embedded one, else none. */
  readonly codec: (typeof LIVE_CODECS)[number] | null;
}

/** How whoever runs the bot is told of what needs them. */
interface OperatorSettings {
  /** Discord channel for that. Default null: it is only logged. */
  readonly channelId: string | null;
  /** They are told when the service's account holds less, in micro-dollars. Default 5 USD, range 0 to 1,000,000 USD. */
  readonly lowBalance: MicroUsd;
}

/** Any of the settings; what is left out has its default. */
export type SettingsOptions = {
  readonly [Part in keyof Settings]?:
    | (Settings[Part] extends string ? Settings[Part] : Some<Settings[Part]>)
    | undefined;
};

type Some<T> = { readonly [Name in keyof T]?: T[Name] | undefined };

/** A setting cannot be used. The message is one line per setting; it never holds a secret. */
export class SettingsError extends ServiceError<'bad_settings'> {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super('bad_settings', problems.join('\n'));
    this.problems = problems;
  }
}
