import { z } from 'zod';
import { LOG_LEVELS } from '../base/log.ts';
import { type MicroUsd, micros, parseUsd } from '../base/money.ts';
import { isTimeZone } from '../base/time-zone.ts';
import { PRICED_CAPABILITIES } from '../media-api/wire.ts';
import {
  BUDGET_LIMIT_MAX,
  BUDGET_PERIODS,
  CHANNEL_ID,
  CONCURRENT_JOBS_MAX,
  CONNECTIONS_PER_ADDRESS_MAX,
  CONSOLE_ORIGINS_MAX,
  COOLDOWN_SECONDS_MAX,
  DEPARTED_KEEP_DAYS_MAX,
  DISCORD_CDN_HOSTS,
  JOB_PRICE_MAX,
  LIVE_CODECS,
  PORT_MAX,
  REQUESTS_PER_MINUTE_MAX,
  SHARD_COUNT_MAX,
  VOICE_IDLE_SECONDS_MAX,
  VOICE_IDLE_SECONDS_MIN,
  areShardsOf,
  isBareUrl,
  isHostAndPort,
  isPlainUrl,
  isSafeOrigin,
  isSafeUrl,
  isWildcardHost,
} from '../base/setting-rules.ts';
import { type Settings, SettingsError, type SettingsOptions } from './settings/settings.ts';

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
        consoleOrigins: z
          .array(z.string().refine(isSafeOrigin, 'must be an origin, https or, on loopback, http'))
          .max(CONSOLE_ORIGINS_MAX, `must hold at most ${CONSOLE_ORIGINS_MAX} origins`)
          .default([]),
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
        connectionsPerAddress: whole(1, CONNECTIONS_PER_ADDRESS_MAX, 100),
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
