import { LOG_LEVELS } from '../base/log.ts';
import { readSettings } from './config.ts';
import { PRICE_LIST_EXAMPLE, type PriceList, readPriceList } from './settings/price-list.ts';
import {
  BUDGET_PERIODS,
  CHANNEL_ID,
  CONCURRENT_JOBS_MAX,
  CONNECTIONS_PER_ADDRESS_MAX,
  CONSOLE_ORIGINS_MAX,
  COOLDOWN_SECONDS_MAX,
  DEPARTED_KEEP_DAYS_MAX,
  LIVE_CODECS,
  PORT_MAX,
  REQUESTS_PER_MINUTE_MAX,
  SHARD_COUNT_MAX,
  VOICE_IDLE_SECONDS_MAX,
  VOICE_IDLE_SECONDS_MIN,
  areShardsOf,
  isHostAndPort,
  isSafeOrigin,
  isSafeUrl,
  isWildcardHost,
} from '../base/setting-rules.ts';
import { type Settings, SettingsError, type SettingsOptions } from './settings/settings.ts';
import {
  type Variable,
  dollars,
  filePath,
  host,
  listOf,
  matching,
  oneOf,
  secret,
  secrets,
  shardList,
  text,
  timeZone,
  url,
  whole,
  yesOrNo,
} from './settings/variable-kinds.ts';

/** The variables of a process, or a test's own. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Every variable of the program. */
const VARIABLES = {
  DISCORD_TOKEN: secret,
  DISCORD_STAGE_TOKEN: secret,
  DISCORD_API_URL: url('an https URL such as https://discord.com/api, or http on loopback', (parsed) =>
    isSafeUrl(parsed),
  ),
  DISCORD_CDN_HOSTS: listOf(
    20,
    isHostAndPort,
    'one to twenty hosts, each host or host:port, separated by commas',
  ),
  SHARDS: shardList,
  SHARD_COUNT: whole(1, SHARD_COUNT_MAX),
  MEDIA_API_URL: url(
    'a base URL including /api/v1, https or, on loopback or with MEDIA_API_ALLOW_HTTP, http',
    (parsed) => /\/api\/v\d+\/?$/.test(parsed.pathname),
  ),
  MEDIA_API_KEY: secret,
  MEDIA_API_KEY_FILE: filePath,
  MEDIA_API_SIGNING_SECRET_FILE: filePath,
  MEDIA_API_SIGNING_SECRET: secrets,
  MEDIA_API_HEADER_PREFIX: matching(
    /^[A-Za-z][A-Za-z0-9-]{0,49}$/,
    '1 to 50 letters, digits and hyphens, beginning with a letter',
  ),
  MEDIA_API_REQUESTS_PER_MINUTE: whole(1, REQUESTS_PER_MINUTE_MAX),
  MEDIA_API_ALLOW_HTTP: yesOrNo,
  MEDIA_API_PRICES: {
    allowed: `dollars by capability, such as ${PRICE_LIST_EXAMPLE}`,
    read: readPriceList,
  } satisfies Variable<PriceList>,
  MEDIA_SERVER_PORT: whole(0, PORT_MAX),
  MEDIA_SERVER_API_KEY: secret,
  MEDIA_SERVER_SIGNING_SECRET: secret,
  MEDIA_SERVER_REQUESTS_PER_MINUTE: whole(1, REQUESTS_PER_MINUTE_MAX),
  MEDIA_SERVER_CONSOLE_ORIGINS: listOf(
    CONSOLE_ORIGINS_MAX,
    isSafeOrigin,
    'one to five origins such as https://media.example.com, or http on loopback, separated by commas',
  ),
  MEDIA_SERVER_FFMPEG: text('the path or name of an FFmpeg program'),
  CHAT_PAGE_HOST: host,
  CHAT_PAGE_PORT: whole(0, PORT_MAX),
  CHAT_PAGE_URL: url(
    'how browsers reach the chat page, such as https://chat.example or http://192.168.1.20:4000',
    ({ pathname }) => pathname === '/',
  ),
  DATABASE_URL: {
    ...matching(/^(sqlite:.+|postgres(ql)?:\/\/.+)$/, 'sqlite:<path> or postgres://…'),
    isSecret: true,
  },
  DATA_DIR: text('a folder'),
  HOST: host,
  PORT: whole(0, PORT_MAX),
  CONNECTIONS_PER_ADDRESS: whole(1, CONNECTIONS_PER_ADDRESS_MAX),
  PUBLIC_URL: url('a URL, https or, on loopback or with MEDIA_API_ALLOW_HTTP, http', () => true),
  BUDGET_USD: dollars,
  BUDGET_PERIOD: oneOf(BUDGET_PERIODS),
  BUDGET_TIME_ZONE: timeZone,
  BUDGET_ALLOWANCE_USD: dollars,
  BUDGET_ALLOWANCE_PERIOD: oneOf(BUDGET_PERIODS),
  ACCESS_COOLDOWN_SECONDS: whole(0, COOLDOWN_SECONDS_MAX),
  ACCESS_JOBS_AT_ONCE: whole(1, CONCURRENT_JOBS_MAX),
  ACCESS_AGE_RESTRICTED_ONLY: yesOrNo,
  DEPARTED_KEEP_DAYS: whole(0, DEPARTED_KEEP_DAYS_MAX),
  VOICE_IDLE_SECONDS: whole(VOICE_IDLE_SECONDS_MIN, VOICE_IDLE_SECONDS_MAX),
  VOICE_NOTICE_FILE: filePath,
  LIVE_CODEC: oneOf(LIVE_CODECS),
  OPERATOR_CHANNEL_ID: matching(CHANNEL_ID, 'the id of a Discord channel'),
  OPERATOR_LOW_BALANCE_USD: dollars,
  LOG_LEVEL: oneOf(LOG_LEVELS),
} as const;

type Name = keyof typeof VARIABLES;

/** Variables beginning like this are ours, so one that is not known is a mistake. */
const OWN_PREFIX = /^(CHAT_PAGE|DISCORD|SHARDS?|MEDIA|BUDGET|ACCESS|DEPARTED|OPERATOR|VOICE|LIVE)_/;
const SHOWN_LENGTH_MAX = 80;

/**
 * Reads the program's settings from the environment; an empty variable counts as not set. Throws `SettingsError`
 * with one line per variable that is unknown or malformed: its name, what it holds (never a secret) and what it
 * may hold.
 */
export function readEnvironment(env: Environment = process.env): Settings {
  const problems: string[] = unknownNames(env).map(unknownProblem);
  const get = <N extends Name>(name: N): Value<N> | undefined => {
    const text = env[name];
    if (text === undefined || text === '') return undefined;
    const variable: Variable<unknown> = VARIABLES[name];
    const value = variable.read(text);
    if (value === undefined) problems.push(problem(name, text));
    return value as Value<N> | undefined;
  };
  const options = toOptions(get);
  problems.push(...contradictions(env, options));
  if (problems.length > 0) throw new SettingsError(problems);
  return readSettings(options);
}

type Value<N extends Name> = Exclude<ReturnType<(typeof VARIABLES)[N]['read']>, undefined>;

function toOptions(get: <N extends Name>(name: N) => Value<N> | undefined): SettingsOptions {
  return {
    discord: {
      token: get('DISCORD_TOKEN'),
      stageToken: get('DISCORD_STAGE_TOKEN'),
      apiUrl: get('DISCORD_API_URL'),
      cdnHosts: get('DISCORD_CDN_HOSTS'),
      shards: get('SHARDS'),
      shardCount: get('SHARD_COUNT'),
    },
    mediaApi: {
      url: get('MEDIA_API_URL'),
      key: get('MEDIA_API_KEY'),
      keyFile: get('MEDIA_API_KEY_FILE'),
      signingSecretFile: get('MEDIA_API_SIGNING_SECRET_FILE'),
      signingSecrets: get('MEDIA_API_SIGNING_SECRET'),
      headerPrefix: get('MEDIA_API_HEADER_PREFIX'),
      requestsPerMinute: get('MEDIA_API_REQUESTS_PER_MINUTE'),
      allowHttp: get('MEDIA_API_ALLOW_HTTP'),
      prices: get('MEDIA_API_PRICES'),
    },
    mediaServer: {
      port: get('MEDIA_SERVER_PORT'),
      apiKey: get('MEDIA_SERVER_API_KEY'),
      signingSecret: get('MEDIA_SERVER_SIGNING_SECRET'),
      requestsPerMinute: get('MEDIA_SERVER_REQUESTS_PER_MINUTE'),
      ffmpeg: get('MEDIA_SERVER_FFMPEG'),
      consoleOrigins: get('MEDIA_SERVER_CONSOLE_ORIGINS'),
    },
    chatPage: { host: get('CHAT_PAGE_HOST'), port: get('CHAT_PAGE_PORT'), url: get('CHAT_PAGE_URL') },
    storage: {
      databaseUrl: get('DATABASE_URL'),
      dataDir: get('DATA_DIR'),
      departedKeepDays: get('DEPARTED_KEEP_DAYS'),
    },
    web: {
      host: get('HOST'),
      port: get('PORT'),
      connectionsPerAddress: get('CONNECTIONS_PER_ADDRESS'),
      publicUrl: get('PUBLIC_URL'),
    },
    budget: {
      limit: get('BUDGET_USD'),
      period: get('BUDGET_PERIOD'),
      timeZone: get('BUDGET_TIME_ZONE'),
      allowance: get('BUDGET_ALLOWANCE_USD'),
      allowancePeriod: get('BUDGET_ALLOWANCE_PERIOD'),
    },
    access: {
      cooldownSeconds: get('ACCESS_COOLDOWN_SECONDS'),
      concurrentMax: get('ACCESS_JOBS_AT_ONCE'),
      ageRestrictedOnly: get('ACCESS_AGE_RESTRICTED_ONLY'),
    },
    voice: { idleSeconds: get('VOICE_IDLE_SECONDS'), noticeFile: get('VOICE_NOTICE_FILE') },
    live: { codec: get('LIVE_CODEC') },
    operator: { channelId: get('OPERATOR_CHANNEL_ID'), lowBalance: get('OPERATOR_LOW_BALANCE_USD') },
    logLevel: get('LOG_LEVEL'),
  };
}

/** What is well-formed by itself but cannot be meant together. */
function contradictions(
  env: Environment,
  { discord, mediaApi, chatPage, web }: SettingsOptions,
): readonly string[] {
  const problems: string[] = [];
  const mayUse = (text: string | null | undefined): boolean =>
    !text || mediaApi?.allowHttp === true || isSafeUrl(new URL(text));
  if (mediaApi?.url && !env['MEDIA_API_KEY'] && !env['MEDIA_API_KEY_FILE']) {
    problems.push(`MEDIA_API_KEY holds nothing: with MEDIA_API_URL it must hold ${secret.allowed}`);
  }
  if (chatPage?.host && isWildcardHost(chatPage.host) && !env['CHAT_PAGE_URL']) {
    problems.push(
      `CHAT_PAGE_URL holds nothing: with CHAT_PAGE_HOST=${chatPage.host} it must hold ${VARIABLES.CHAT_PAGE_URL.allowed}`,
    );
  }
  problems.push(...shardProblems(env, discord));
  for (const name of ['MEDIA_API_KEY', 'MEDIA_API_SIGNING_SECRET'] as const) {
    if (env[name] && env[`${name}_FILE`])
      problems.push(`${name}_FILE holds a file: then ${name} must be empty`);
  }
  if (!mayUse(mediaApi?.url)) problems.push(problem('MEDIA_API_URL', env['MEDIA_API_URL'] ?? ''));
  if (!mayUse(web?.publicUrl)) problems.push(problem('PUBLIC_URL', env['PUBLIC_URL'] ?? ''));
  return problems;
}

function shardProblems(env: Environment, discord: SettingsOptions['discord']): readonly string[] {
  const { shards = 'auto', shardCount = null } = discord ?? {};
  // A number that cannot be read has its own line.
  if ((env['SHARD_COUNT'] && shardCount === null) || areShardsOf(shards, shardCount)) return [];
  const held = `SHARDS holds ${JSON.stringify(shown(env['SHARDS'] ?? ''))}`;
  return shardCount === null
    ? [`${held}: then SHARD_COUNT must hold how many shards there are in all`]
    : [`${held}: with SHARD_COUNT=${shardCount} it may hold shards from 0 to ${shardCount - 1}`];
}

function problem(name: Name, text: string): string {
  const variable: Variable<unknown> = VARIABLES[name];
  const held = variable.isSecret ? `${text.length} characters (not shown)` : JSON.stringify(shown(text));
  return `${name} holds ${held}: it may hold ${variable.allowed}`;
}

/** Without what a URL may hide in its credentials and query. */
function shown(text: string): string {
  const open = text.replace(/\/\/[^/]*@/, '//[hidden]@').replace(/\?.*$/s, '?[hidden]');
  return open.length <= SHOWN_LENGTH_MAX ? open : `${open.slice(0, SHOWN_LENGTH_MAX)}…`;
}

function unknownNames(env: Environment): readonly string[] {
  return Object.keys(env).filter((name) => OWN_PREFIX.test(name) && !Object.hasOwn(VARIABLES, name));
}

/** The value stays unsaid: under a misspelt name it may well be a secret. */
function unknownProblem(name: string): string {
  const start = name.slice(0, name.indexOf('_', name.indexOf('_') + 1) + 1 || undefined);
  const alike = Object.keys(VARIABLES).filter((known) => known.startsWith(start) || isAlike(known, name));
  const names = alike.length > 0 ? alike : Object.keys(VARIABLES);
  return `${name} holds a value but is not a variable of this program: it may be one of ${names.join(', ')}`;
}

/** One name has all the letters of the other in order, but for at most two. */
function isAlike(known: string, given: string): boolean {
  const [short, long] = known.length < given.length ? [known, given] : [given, known];
  let at = 0;
  for (const letter of long) if (letter === short[at]) at += 1;
  return at >= short.length - 1 && long.length - short.length <= 2;
}
