import { describe, expect, test } from 'vitest';
import { parseUsd } from '../../../src/base/money.ts';
import type { Environment } from '../../../src/bot/settings/conflict-lines.ts';
import { readEnvironment } from '../../../src/bot/settings/read-environment.ts';
import { SettingsError } from '../../../src/bot/settings/settings-error.ts';

function problems(env: Environment): readonly string[] {
  try {
    readEnvironment(env);
  } catch (error) {
    if (error instanceof SettingsError) return error.problems;
    throw error;
  }
  return [];
}

test('an empty environment gives the documented defaults', () => {
  expect(readEnvironment({})).toMatchObject({
    discord: {
      token: null,
      apiUrl: null,
      cdnHosts: null,
      shards: 'auto',
      shardCount: null,
    },
    mediaApi: { url: null, key: null, signingSecrets: [], headerPrefix: 'Service', requestsPerMinute: 60 },
    mediaServer: {
      port: 4100,
      apiKey: null,
      signingSecret: null,
      requestsPerMinute: 60,
      ffmpeg: null,
      consoleOrigins: [],
    },
    storage: { databaseUrl: 'sqlite:./data/masquerade.db', dataDir: './data', departedKeepDays: 30 },
    web: { host: '127.0.0.1', port: 3000, connectionsPerAddress: 100, publicUrl: null },
    chatPage: { host: '127.0.0.1', port: 0, url: null },
    budget: { limit: parseUsd('10'), period: 'month', timeZone: 'UTC' },
    operator: { channelId: null, lowBalance: parseUsd('5') },
    access: { cooldownSeconds: 0, concurrentMax: null, ageRestrictedOnly: false },
    log: { level: 'info' },
  });
});

test('every variable is read', () => {
  const settings = readEnvironment({
    DISCORD_TOKEN: 'token-a',
    DISCORD_STAGE_TOKEN: 'token-b',
    DISCORD_API_URL: 'http://127.0.0.1:4000/api',
    DISCORD_CDN_HOSTS: '127.0.0.1:4001, cdn.example',
    SHARDS: '0,2-4',
    SHARD_COUNT: '8',
    MEDIA_API_URL: 'https://api.example/api/v1',
    MEDIA_API_KEY: 'key',
    MEDIA_API_SIGNING_SECRET: 'new,old',
    MEDIA_API_HEADER_PREFIX: 'Acme',
    MEDIA_API_REQUESTS_PER_MINUTE: '600',
    DATABASE_URL: 'postgres://u:p@db/masquerade',
    DATA_DIR: '/var/lib/masquerade',
    HOST: '::',
    PORT: '0',
    CONNECTIONS_PER_ADDRESS: '50',
    PUBLIC_URL: 'https://bot.example/masquerade',
    CHAT_PAGE_HOST: '0.0.0.0',
    CHAT_PAGE_PORT: '4000',
    CHAT_PAGE_URL: 'http://192.168.1.20:4000',
    MEDIA_SERVER_PORT: '4200',
    MEDIA_SERVER_API_KEY: 'k',
    MEDIA_SERVER_SIGNING_SECRET: 's',
    MEDIA_SERVER_REQUESTS_PER_MINUTE: '90',
    MEDIA_SERVER_FFMPEG: '/usr/bin/ffmpeg',
    MEDIA_SERVER_CONSOLE_ORIGINS: 'https://media.example.com, http://127.0.0.1:8443',
    BUDGET_USD: '2.50',
    BUDGET_PERIOD: 'week',
    BUDGET_TIME_ZONE: 'Europe/Berlin',
    BUDGET_ALLOWANCE_USD: '50',
    BUDGET_ALLOWANCE_PERIOD: 'total',
    ACCESS_COOLDOWN_SECONDS: '30',
    ACCESS_JOBS_AT_ONCE: '2',
    ACCESS_AGE_RESTRICTED_ONLY: 'true',
    DEPARTED_KEEP_DAYS: '7',
    VOICE_IDLE_SECONDS: '90',
    VOICE_NOTICE_FILE: '/srv/notice.ogg',
    LIVE_CODEC: 'jpeg',
    OPERATOR_CHANNEL_ID: '123456789012345678',
    OPERATOR_LOW_BALANCE_USD: '7.5',
    LOG_LEVEL: 'debug',
  });
  expect(settings).toMatchObject({
    discord: {
      token: 'token-a',
      stageToken: 'token-b',
      apiUrl: 'http://127.0.0.1:4000/api',
      cdnHosts: ['127.0.0.1:4001', 'cdn.example'],
      shards: [0, 2, 3, 4],
      shardCount: 8,
    },
    mediaApi: {
      url: 'https://api.example/api/v1',
      key: 'key',
      signingSecrets: ['new', 'old'],
      headerPrefix: 'Acme',
      requestsPerMinute: 600,
    },
    mediaServer: {
      port: 4200,
      apiKey: 'k',
      signingSecret: 's',
      requestsPerMinute: 90,
      ffmpeg: '/usr/bin/ffmpeg',
      consoleOrigins: ['https://media.example.com', 'http://127.0.0.1:8443'],
    },
    storage: {
      databaseUrl: 'postgres://u:p@db/masquerade',
      dataDir: '/var/lib/masquerade',
      departedKeepDays: 7,
    },
    chatPage: { host: '0.0.0.0', port: 4000, url: 'http://192.168.1.20:4000' },
    web: { host: '::', port: 0, connectionsPerAddress: 50, publicUrl: 'https://bot.example/masquerade' },
    budget: {
      limit: 2_500_000,
      period: 'week',
      timeZone: 'Europe/Berlin',
      allowance: 50_000_000,
      allowancePeriod: 'total',
    },
    access: { cooldownSeconds: 30, concurrentMax: 2, ageRestrictedOnly: true },
    voice: { idleSeconds: 90, noticeFile: '/srv/notice.ogg' },
    live: { codec: 'jpeg' },
    operator: { channelId: '123456789012345678', lowBalance: 7_500_000 },
    log: { level: 'debug' },
  });
});

test('other variables of the system are ignored, and an empty variable is not set', () => {
  const env = {
    PATH: '/bin',
    HOSTNAME: 'x',
    PORTS: 'y',
    MEDIA_API_URL: '',
    DISCORD_TOKEN: '',
    LOG_LEVEL: '',
  };
  expect(readEnvironment(env)).toEqual(readEnvironment({}));
});

test.each([
  ['PORT', '70000', 'PORT holds "70000": it may hold a whole number from 0 to 65535'],
  ['PORT', '3000.5', 'PORT holds "3000.5": it may hold a whole number from 0 to 65535'],
  ['PORT', '0x10', 'PORT holds "0x10": it may hold a whole number from 0 to 65535'],
  ['PORT', ' 80', 'PORT holds " 80": it may hold a whole number from 0 to 65535'],
  ['MEDIA_API_REQUESTS_PER_MINUTE', '0', 'a whole number from 1 to 100000'],
  ['LOG_LEVEL', 'loud', 'it may hold one of trace, debug, info, warn, error, fatal, silent'],
  ['LOG_LEVEL', 'INFO', 'LOG_LEVEL holds "INFO"'],
  ['DATABASE_URL', 'mysql://u:CANARY@db/x', 'DATABASE_URL holds 21 characters (not shown)'],
  ['HOST', 'a b', 'HOST holds "a b"'],
  ['CHAT_PAGE_HOST', '0.0.0.0', 'CHAT_PAGE_URL holds nothing: with CHAT_PAGE_HOST=0.0.0.0 it must hold'],
  ['CHAT_PAGE_HOST', '::', 'CHAT_PAGE_URL holds nothing'],
  ['CHAT_PAGE_URL', 'https://chat.example/path', 'CHAT_PAGE_URL holds "https://chat.example/path"'],
  ['CHAT_PAGE_URL', 'chat.example:4000', 'how browsers reach the chat page'],
  ['CHAT_PAGE_HOSTS', 'CANARY', 'CHAT_PAGE_HOST, CHAT_PAGE_PORT, CHAT_PAGE_URL'],
  ['PUBLIC_URL', 'bot.example', 'PUBLIC_URL holds "bot.example"'],
  ['PUBLIC_URL', 'http://bot.example', 'PUBLIC_URL holds "http://bot.example"'],
  ['PUBLIC_URL', 'https://bot.example/?key=CANARY', 'holds "https://bot.example/?[hidden]"'],
  ['PUBLIC_URL', 'https://me:CANARY@bot.example/', 'holds "https://[hidden]@bot.example/"'],
  ['DISCORD_API_URL', 'http://discord.example/api', 'https URL'],
  ['DISCORD_CDN_HOSTS', 'https://cdn.example', 'host or host:port'],
  ['DISCORD_CDN_HOSTS', 'a,,b', 'host or host:port'],
  ['DISCORD_CDN_HOSTS', 'user@cdn.example', 'host or host:port'],
  ['MEDIA_API_HEADER_PREFIX', 'Acme:', 'letters, digits and hyphens'],
  ['MEDIA_API_SIGNING_SECRET', 'CANARY,,x', '9 characters (not shown)'],
  ['DISCORD_TOKEN', 'CANARY with space', 'DISCORD_TOKEN holds 17 characters (not shown)'],
  [
    'DISCORD_TOKN',
    'CANARY',
    'DISCORD_TOKN holds a value but is not a variable of this program: it may be one of DISCORD_TOKEN',
  ],
  ['MEDIA_API_SECRET', 'CANARY', 'MEDIA_API_SIGNING_SECRET'],
  ['BUDGET_USD', '-1', 'dollars from 0 to 1000000'],
  ['BUDGET_USD', '1000000.01', 'dollars from 0 to 1000000'],
  ['BUDGET_USD', '$5', 'dollars from 0 to 1000000'],
  ['ACCESS_JOBS_AT_ONCE', '0', 'a whole number from 1 to 50'],
  ['BUDGET_PERIOD', 'year', 'one of day, week, month, total'],
  ['BUDGET_TIME_ZONE', 'Middle/Earth', 'the name of a time zone'],
  ['BUDGET_TIME_ZONE', '+05:17', 'the name of a time zone'],
  ['BUDGET_ALLOWANCE_USD', 'all', 'dollars from 0 to 1000000'],
  ['BUDGET_ALLOWANCE_PERIOD', 'year', 'one of day, week, month, total'],
  ['BUDGET_ALLOWANCE', '5', 'BUDGET_ALLOWANCE_USD'],
  ['MEDIA_SERVER_CONSOLE_ORIGINS', 'http://media.example.com', 'origins such as https://media.example.com'],
  ['MEDIA_SERVER_CONSOLE_ORIGINS', 'https://media.example.com/', 'origins such as https://media.example.com'],
  ['MEDIA_API_ALLOW_HTTP', 'yes', 'one of true, false'],
])('%s=%s is refused in one line with the reason', (name, value, line) => {
  const found = problems({ [name]: value });
  expect(found).toHaveLength(1);
  expect(found[0]).toContain(line);
  expect(found[0]).toContain(name);
  expect(found[0]).not.toMatch(/CANARY|\n/);
});

describe('shards', () => {
  test.each([
    ['0', '1', [0]],
    ['0,1', '2', [0, 1]],
    ['0-3', '4', [0, 1, 2, 3]],
    ['3, 5-6', '16', [3, 5, 6]],
    ['auto', '4', 'auto'],
    ['auto', undefined, 'auto'],
    [undefined, '4', 'auto'],
  ])('SHARDS=%s with SHARD_COUNT=%s is accepted', (shards, count, expected) => {
    const { discord } = readEnvironment({ SHARDS: shards, SHARD_COUNT: count });
    expect(discord.shards).toEqual(expected);
    expect(discord.shardCount).toBe(count === undefined ? null : Number(count));
  });

  test.each([
    ['0', undefined, /^SHARDS holds "0": then SHARD_COUNT must hold how many shards there are in all$/],
    ['0-2', '2', /^SHARDS holds "0-2": with SHARD_COUNT=2 it may hold shards from 0 to 1$/],
    ['0,0', '2', /^SHARDS holds "0,0": it may hold auto, or shards such as 0,1 or 0-3, each once$/],
    ['0-1,1', '2', /^SHARDS holds "0-1,1": it may hold auto/],
    ['3-1', '4', /^SHARDS holds "3-1": it may hold auto/],
    ['0-99999', '4', /^SHARDS holds "0-99999": it may hold auto/],
    ['-1', '4', /^SHARDS holds "-1": it may hold auto/],
    ['[0]', '4', /^SHARDS holds "\[0\]": it may hold auto/],
    ['0,', '4', /^SHARDS holds "0,": it may hold auto/],
    ['0', '0', /^SHARD_COUNT holds "0": it may hold a whole number from 1 to 16384$/],
    ['0', 'two', /^SHARD_COUNT holds "two": it may hold a whole number from 1 to 16384$/],
  ])('SHARDS=%s with SHARD_COUNT=%s is refused in one line', (shards, count, line) => {
    expect(problems({ SHARDS: shards, SHARD_COUNT: count })).toEqual([expect.stringMatching(line)]);
  });

  test('a name that is nearly right is reported with the right one', () => {
    expect(problems({ SHARDS_COUNT: '2' })).toEqual([expect.stringMatching(/one of .*SHARD_COUNT/)]);
  });
});

describe('a remote media API', () => {
  const env = { MEDIA_API_URL: 'https://api.example/api/v1', MEDIA_API_KEY: 'k' };
  test.each([
    ['with key', env, 0],
    ['without key', { ...env, MEDIA_API_KEY: undefined }, 1],
    ['with the key in a file', { ...env, MEDIA_API_KEY: undefined, MEDIA_API_KEY_FILE: '/run/key' }, 0],
    ['with the key twice', { ...env, MEDIA_API_KEY_FILE: '/run/key' }, 1],
    ['without version', { ...env, MEDIA_API_URL: 'https://api.example/' }, 1],
    ['on loopback by http', { ...env, MEDIA_API_URL: 'http://127.0.0.1:4100/api/v1' }, 0],
    ['on another machine by http', { ...env, MEDIA_API_URL: 'http://media:4100/api/v1' }, 1],
    [
      'on another machine by http, allowed',
      { ...env, MEDIA_API_URL: 'http://media:4100/api/v1', MEDIA_API_ALLOW_HTTP: 'true' },
      0,
    ],
    ['with a query', { ...env, MEDIA_API_URL: 'https://api.example/api/v1?x=1' }, 1],
  ])('%s', (_name, variables, count) => {
    expect(problems(variables)).toHaveLength(count);
  });
});

test.each([
  ['./data', 'sqlite:./data/masquerade.db'],
  ['/data//', 'sqlite:/data/masquerade.db'],
])('without a DATABASE_URL the database is in DATA_DIR=%s', (dataDir, databaseUrl) => {
  expect(readEnvironment({ DATA_DIR: dataDir }).storage).toMatchObject({ dataDir, databaseUrl });
});

test('all problems are reported together, each in its own line', () => {
  const env = { PORT: 'x', LOG_LEVEL: 'y', MEDIA_FOO: 'z' };
  expect(() => readEnvironment(env)).toThrow(/^MEDIA_FOO .+\nPORT .+\nLOG_LEVEL .+$/);
});
