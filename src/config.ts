import { z } from 'zod';
import { ServiceError } from './base/errors.ts';
import { LOG_LEVELS, type LogLevel } from './base/log.ts';
import { type MicroUsd, micros, parseUsd } from './base/money.ts';
import { isLoopbackHost } from './base/public-address.ts';
import { isTimeZone } from './base/time-zone.ts';
import { PRICED_CAPABILITIES } from './media-api/wire.ts';
import type { PriceList } from './price-list.ts';

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

export interface DiscordSettings {
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

export interface MediaApiSettings {
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

export interface MediaServerSettings {
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

export interface StorageSettings {
  /** `sqlite:<path>`, or `postgres://user:password@host/database` for several processes that share one. Default `sqlite:<dataDir>/masquerade.db`. */
  readonly databaseUrl: string;
  /** Folder of the database, kept results and the media server's files. Default `./data`. */
  readonly dataDir: string;
  /** How many days the data of a community is kept that the bot has left. Default 30, range 0 to 3,650. */
  readonly departedKeepDays: number;
}

export interface WebSettings {
  /** Address to listen on. Default `127.0.0.1`. */
  readonly host: string;
  /** TCP port. Default 3000, range 0 to 65,535; 0 picks a free one. */
  readonly port: number;
  /** How the outside reaches the web part. Default null: no webhooks are asked for. https, or http on loopback. */
  readonly publicUrl: string | null;
}

/** The budget of a community whose admins have set none. */
export interface BudgetSettings {
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
export interface AccessSettings {
  /** Seconds between two jobs of a member. Default 0: none. At most 86,400. */
  readonly cooldownSeconds: number;
  /** Jobs of one member at once. Default null: no limit of its own. Range 1 to 50. */
  readonly concurrentMax: number | null;
  /** Jobs in age-restricted channels only. Default false. */
  readonly ageRestrictedOnly: boolean;
}

/** Live voice conversion. */
export interface VoiceSettings {
  /** Seconds of a speaker's silence after which their paid connection is closed. Default 60, range 5 to 3,600. */
  readonly idleSeconds: number;
  /** Opus in Ogg, spoken before anybody is heard. Default null: an English sentence. */
  readonly noticeFile: string | null;
}

/** Live Swap Pro. */
export interface LiveSettings {
  /** How pictures travel to the service: `jpeg` as to the embedded one. Default null: that with the embedded one, else none. */
  readonly codec: (typeof LIVE_CODECS)[number] | null;
}

/** How whoever runs the bot is told of what needs them. */
export interface OperatorSettings {
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

/** Where Discord keeps attachments. */
export const DISCORD_CDN_HOSTS: readonly string[] = ['cdn.discordapp.com', 'media.discordapp.net'];
export const SHARD_COUNT_MAX = 16_384;
export const PORT_MAX = 65_535;
export const REQUESTS_PER_MINUTE_MAX = 100_000;
export const BUDGET_LIMIT_MAX: MicroUsd = parseUsd('1000000');
export const JOB_PRICE_MAX: MicroUsd = parseUsd('1000');
export const COOLDOWN_SECONDS_MAX = 86_400;
export const CONCURRENT_JOBS_MAX = 50;
export const DEPARTED_KEEP_DAYS_MAX = 3_650;
export const VOICE_IDLE_SECONDS_MIN = 5;
export const VOICE_IDLE_SECONDS_MAX = 3_600;
export const CHANNEL_ID: RegExp = /^\d{15,20}$/;
export const LIVE_CODECS = ['jpeg'] as const;
export const BUDGET_PERIODS = ['day', 'week', 'month', 'total'] as const;

/** Fills in the defaults and checks every range. Throws `SettingsError` that names each setting that is wrong. */
export function readSettings(options: SettingsOptions = {}): Settings {
  const parsed = settings.safeParse(options);
  if (!parsed.success) {
    throw new SettingsError(parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`));
  }
  const { storage, ...rest } = parsed.data;
  const databaseUrl = storage.databaseUrl ?? `sqlite:${storage.dataDir.replace(/\/+$/, '')}/masquerade.db`;
  return { ...rest, storage: { ...storage, databaseUrl } };
}

/** Whether a key, token or callback may be sent to `url`: https, or http to this machine. */
export function isSafeUrl(url: URL): boolean {
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopbackHost(url.hostname));
}

/** An http or https URL without credentials, query or fragment. */
export function isPlainUrl(text: string): boolean {
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol)) return false;
  return url.username === '' && url.password === '' && url.search === '' && url.hash === '';
}

/** `host` or `host:port`, nothing else. */
export function isHostAndPort(text: string): boolean {
  return (
    URL.parse(`https://${text}/`)?.host === text.toLowerCase().replace(/:443$/, '') && !text.includes('/')
  );
}

/** Whether a host stands for all addresses of a machine, so that no browser can be sent to it. */
export function isWildcardHost(host: string): boolean {
  return host === '0.0.0.0' || host === '::';
}

/** Whether a URL names a server and nothing in it. */
export function isBareUrl(text: string): boolean {
  return isPlainUrl(text) && new URL(text).pathname === '/';
}

/** Whether a process can run these of `count` shards: each once, and all of them there. */
export function areShardsOf(shards: readonly number[] | 'auto', count: number | null): boolean {
  if (shards === 'auto') return true;
  return count !== null && new Set(shards).size === shards.length && shards.every((id) => id < count);
}

const file = z.string().min(1, 'must name a file').nullable().default(null);

const secret = z
  .string()
  .regex(/^[\x21-\x7e]{1,500}$/, 'must be 1 to 500 printable characters without spaces')
  .nullable()
  .default(null);
const safeUrl = z
  .string()
  .refine(isPlainUrl, 'must be a URL without credentials, query or fragment')
  .nullable()
  .default(null);

const host = z
  .string()
  .regex(/^[A-Za-z0-9.:_-]{1,255}$/, 'must be an address or host name')
  .default('127.0.0.1');

function whole(min: number, max: number, standard: number): z.ZodDefault<z.ZodNumber> {
  const message = `must be a whole number from ${min} to ${max}`;
  return z.number(message).int(message).min(min, message).max(max, message).default(standard);
}

type AmountSchema = z.ZodPipe<z.ZodDefault<z.ZodNumber>, z.ZodTransform<MicroUsd, number>>;

function amount(min: number, max: number, standard: string): AmountSchema {
  return whole(min, max, parseUsd(standard)).transform(micros);
}

const price = z.strictObject({
  rate: whole(1, JOB_PRICE_MAX, 1).unwrap().transform(micros),
  per: z.enum(['image', 'second', 'minute']),
  minimum: amount(0, JOB_PRICE_MAX, '0'),
});

const settings = z
  .strictObject({
    discord: z
      .strictObject({
        token: secret,
        stageToken: secret,
        apiUrl: safeUrl.refine(
          (url) => url === null || isSafeUrl(new URL(url)),
          'must be https, or http on loopback',
        ),
        cdnHosts: z
          .array(z.string().refine(isHostAndPort, 'must be a host or host:port'))
          .min(1, 'must hold at least one host')
          .max(20, 'must hold at most 20 hosts')
          .default([...DISCORD_CDN_HOSTS]),
        shards: z
          .union(
            [z.literal('auto'), z.array(z.int().min(0)).min(1)],
            'must be auto, or a list of whole numbers',
          )
          .default('auto'),
        shardCount: whole(1, SHARD_COUNT_MAX, 1).unwrap().nullable().default(null),
      })
      .prefault({})
      .refine(({ shards, shardCount }) => areShardsOf(shards, shardCount), {
        path: ['shards'],
        message: 'must each be named once and be below shardCount',
      }),
    mediaApi: z
      .strictObject({
        url: safeUrl,
        key: secret,
        keyFile: file,
        signingSecretFile: file,
        signingSecrets: z.array(secret.unwrap().unwrap()).max(5, 'must hold at most 5 secrets').default([]),
        headerPrefix: z
          .string()
          .regex(/^[A-Za-z][A-Za-z0-9-]{0,49}$/, 'must be 1 to 50 letters, digits and hyphens')
          .default('Service'),
        requestsPerMinute: whole(1, REQUESTS_PER_MINUTE_MAX, 60),
        allowHttp: z.boolean().default(false),
        prices: z.partialRecord(z.enum(PRICED_CAPABILITIES), price).default({}),
      })
      .prefault({})
      .refine(({ url, allowHttp }) => url === null || allowHttp || isSafeUrl(new URL(url)), {
        path: ['url'],
        message: 'must be https, or http on loopback, unless allowHttp is set',
      })
      .refine(({ url, key, keyFile }) => url === null || key !== null || keyFile !== null, {
        path: ['key'],
        message: 'must be set with url, or keyFile',
      }),
    mediaServer: z
      .strictObject({
        port: whole(0, PORT_MAX, 4100),
        apiKey: secret,
        signingSecret: secret,
        requestsPerMinute: whole(1, REQUESTS_PER_MINUTE_MAX, 60),
        ffmpeg: z.string().min(1, 'must name a program').nullable().default(null),
      })
      .prefault({}),
    chatPage: z
      .strictObject({
        host,
        port: whole(0, PORT_MAX, 0),
        url: z.string().refine(isBareUrl, 'must be a URL without a path').nullable().default(null),
      })
      .prefault({})
      .refine(({ host: where, url }) => url !== null || !isWildcardHost(where), {
        path: ['url'],
        message: 'must be set with a host that stands for all addresses',
      }),
    storage: z
      .strictObject({
        databaseUrl: z
          .string()
          .regex(/^(sqlite:.+|postgres(ql)?:\/\/.+)$/, 'must be sqlite:<path> or postgres://…')
          .optional(),
        dataDir: z.string().min(1, 'must name a folder').default('./data'),
        departedKeepDays: whole(0, DEPARTED_KEEP_DAYS_MAX, 30),
      })
      .prefault({}),
    web: z
      .strictObject({
        host,
        port: whole(0, PORT_MAX, 3000),
        publicUrl: safeUrl,
      })
      .prefault({}),
    budget: z
      .strictObject({
        limit: amount(0, BUDGET_LIMIT_MAX, '10'),
        period: z.enum(BUDGET_PERIODS).default('month'),
        timeZone: z.string().refine(isTimeZone, 'must be the name of a time zone').default('UTC'),
        allowance: amount(0, BUDGET_LIMIT_MAX, '0').nullable().default(null),
        allowancePeriod: z.enum(BUDGET_PERIODS).default('month'),
      })
      .prefault({}),
    access: z
      .strictObject({
        cooldownSeconds: whole(0, COOLDOWN_SECONDS_MAX, 0),
        concurrentMax: whole(1, CONCURRENT_JOBS_MAX, 1).unwrap().nullable().default(null),
        ageRestrictedOnly: z.boolean().default(false),
      })
      .prefault({}),
    voice: z
      .strictObject({
        idleSeconds: whole(VOICE_IDLE_SECONDS_MIN, VOICE_IDLE_SECONDS_MAX, 60),
        noticeFile: file,
      })
      .prefault({}),
    live: z.strictObject({ codec: z.enum(LIVE_CODECS).nullable().default(null) }).prefault({}),
    operator: z
      .strictObject({
        channelId: z.string().regex(CHANNEL_ID, 'must be the id of a channel').nullable().default(null),
        lowBalance: amount(0, BUDGET_LIMIT_MAX, '5'),
      })
      .prefault({}),
    logLevel: z.enum(LOG_LEVELS).default('info'),
  })
  .refine(
    ({ web, mediaApi }) => web.publicUrl === null || mediaApi.allowHttp || isSafeUrl(new URL(web.publicUrl)),
    {
      path: ['web', 'publicUrl'],
      message: 'must be https, or http on loopback, unless mediaApi.allowHttp is set',
    },
  );
