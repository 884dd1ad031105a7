import { CONCURRENT_JOBS_MAX, COOLDOWN_SECONDS_MAX } from '../../base/setting-rules.ts';
import { SHARD_COUNT_MAX } from './kinds.ts';

/**
 * Every setting of the program. This is the only definition of its variable, kind, range, default and meaning: the
 * environment reader, the type `Settings`, the errors, the defaults of `createMasquerade`'s options and
 * `docs/settings.md` are derived from this table. Each group satisfies `SettingGroup`. Bounds that are also used
 * elsewhere are constants. They are cast to `number`, because TypeScript must be able to derive an export's declaration
 * from this file alone (`isolatedDeclarations`).
 */
export const SETTING_TABLE = {
  discord: {
    title: 'Discord',
    ownPrefixes: ['DISCORD_', 'SHARD_', 'SHARDS_'],
    settings: {
      token: {
        variable: 'DISCORD_TOKEN',
        kind: 'secret',
        default: null,
        unset: 'none: the sandbox takes the place of Discord',
        doc: ['The token of the bot user.'],
      },
      stageToken: {
        variable: 'DISCORD_STAGE_TOKEN',
        kind: 'secret',
        default: null,
        unset: 'none',
        doc: [
          'The token of a second bot user.',
          'It speaks in another voice channel than the one in which the first bot user listens.',
        ],
      },
      apiUrl: {
        variable: 'DISCORD_API_URL',
        kind: 'discordUrl',
        default: null,
        unset: 'the API of Discord',
        doc: ['The base URL of the REST API. The address of the gateway comes from it.'],
      },
      cdnHosts: {
        variable: 'DISCORD_CDN_HOSTS',
        kind: 'cdnHosts',
        default: null,
        unset: 'the two CDN hosts of Discord',
        doc: ['The only hosts from which the bot fetches attachments.'],
      },
      shards: {
        variable: 'SHARDS',
        kind: 'shards',
        default: 'auto',
        doc: ['The shards of the gateway that this process runs. With `auto` it runs all of them.'],
      },
      shardCount: {
        variable: 'SHARD_COUNT',
        kind: 'whole',
        unit: 'shards',
        min: 1,
        max: SHARD_COUNT_MAX as number,
        default: null,
        unset: 'as many as Discord recommends',
        doc: ['The number of shards that all processes run together. It is required if `SHARDS` is a list.'],
      },
    },
  },
  mediaApi: {
    title: 'Media Generation API',
    ownPrefixes: ['MEDIA_'],
    settings: {
      url: {
        variable: 'MEDIA_API_URL',
        kind: 'apiUrl',
        default: null,
        unset: 'none: the embedded media server',
        doc: ['The base URL of the service.'],
      },
      key: {
        variable: 'MEDIA_API_KEY',
        kind: 'secret',
        default: null,
        unset: 'the key of the embedded media server',
        orFile: true,
        doc: [
          'The bearer key of your account at the service. With `MEDIA_API_URL`, the key or its file is required.',
        ],
      },
      signingSecrets: {
        variable: 'MEDIA_API_SIGNING_SECRET',
        kind: 'secrets',
        default: '',
        unset: 'the secret of the embedded media server',
        orFile: true,
        doc: [
          'The secret that signs the webhooks of the service. Without it the bot polls the jobs.',
          'To change it, put the new secret in front of the old one, and keep both for 20 minutes.',
        ],
      },
      headerPrefix: {
        variable: 'MEDIA_API_HEADER_PREFIX',
        kind: 'headerPrefix',
        default: 'Service',
        doc: ['The name of the service in the headers of webhooks.'],
      },
      requestsPerMinute: {
        variable: 'MEDIA_API_REQUESTS_PER_MINUTE',
        kind: 'whole',
        unit: 'requests per minute',
        min: 1,
        max: 100_000,
        default: '60',
        doc: ['The limit of the key.'],
      },
      allowHttp: {
        variable: 'MEDIA_API_ALLOW_HTTP',
        kind: 'yesOrNo',
        default: 'false',
        doc: ['Allows plain http in `MEDIA_API_URL` and `PUBLIC_URL` also beyond loopback.'],
      },
      prices: {
        variable: 'MEDIA_API_PRICES',
        kind: 'prices',
        default: '',
        unset: 'none: learned from what earlier jobs cost',
        doc: [
          'The prices of jobs and sessions that are missing in the rate card of the service.',
          'A price is in dollars per picture, per second (`/s`) or per minute (`/min`) of output or session.',
          'For a job, `min` adds the least that it costs. Sessions are `voice_swap` and `live_swap_pro`.',
        ],
      },
    },
  },
  mediaServer: {
    title: 'Embedded media server',
    ownPrefixes: ['MEDIA_'],
    settings: {
      port: {
        variable: 'MEDIA_SERVER_PORT',
        kind: 'whole',
        unit: 'TCP port',
        min: 0,
        max: 65_535,
        default: '4100',
        doc: ['The port of the server, on loopback. 0 picks a free one.'],
      },
      apiKey: {
        variable: 'MEDIA_SERVER_API_KEY',
        kind: 'secret',
        default: null,
        unset: 'generated at the first start',
        doc: ['The API key that the server accepts.'],
      },
      signingSecret: {
        variable: 'MEDIA_SERVER_SIGNING_SECRET',
        kind: 'secret',
        default: null,
        unset: 'generated at the first start',
        doc: ['The secret with which the server signs its webhooks.'],
      },
      requestsPerMinute: {
        variable: 'MEDIA_SERVER_REQUESTS_PER_MINUTE',
        kind: 'whole',
        unit: 'requests per minute',
        min: 1,
        max: 100_000,
        default: '60',
        doc: ['The limit of each key.'],
      },
      ffmpeg: {
        variable: 'MEDIA_SERVER_FFMPEG',
        kind: 'ffmpeg',
        default: null,
        unset: 'none: the optional packages',
        doc: [
          'An FFmpeg (version 5 or newer) that reads and writes clips in place of the optional packages.',
          'It also reads AVI.',
        ],
      },
      consoleOrigins: {
        variable: 'MEDIA_SERVER_CONSOLE_ORIGINS',
        kind: 'origins',
        default: '',
        unset: 'none: only direct callers on the same machine',
        doc: [
          'The origins under which the console page answers callers from elsewhere, also through a proxy.',
        ],
      },
    },
  },
  chatPage: {
    title: 'Chat page of the sandbox',
    ownPrefixes: ['CHAT_PAGE_'],
    settings: {
      host: {
        variable: 'CHAT_PAGE_HOST',
        kind: 'listenHost',
        default: '127.0.0.1',
        doc: [
          'The address on which the chat page listens.',
          'An address of this machine beyond loopback opens the page, and nothing else of the sandbox, to a network.',
          'Trust every user of that network: anyone who reaches the page can act as any member.',
          'Browsers allow the microphone only over https.',
        ],
      },
      port: {
        variable: 'CHAT_PAGE_PORT',
        kind: 'whole',
        unit: 'TCP port',
        min: 0,
        max: 65_535,
        default: '0',
        doc: ['The port of the chat page. 0 picks a free one.'],
      },
      url: {
        variable: 'CHAT_PAGE_URL',
        kind: 'pageUrl',
        default: null,
        unset: 'the address of host and port',
        doc: [
          'The only address at which the chat page answers.',
          'It is required behind a proxy and with a host such as `0.0.0.0`.',
        ],
      },
    },
  },
  storage: {
    title: 'Storage',
    ownPrefixes: ['DEPARTED_'],
    settings: {
      databaseUrl: {
        variable: 'DATABASE_URL',
        kind: 'databaseUrl',
        default: null,
        unset: '`sqlite:DATA_DIR/masquerade.db`',
        doc: [
          'The database of jobs and ledger.',
          'With `postgres://user:password@host/database` (PostgreSQL 13 or newer), processes on several machines share it.',
        ],
      },
      dataDir: {
        variable: 'DATA_DIR',
        kind: 'folder',
        default: './data',
        doc: [
          'The folder of the database, kept results, saved faces and the files of the embedded media server.',
        ],
      },
      departedKeepDays: {
        variable: 'DEPARTED_KEEP_DAYS',
        kind: 'whole',
        unit: 'days',
        min: 0,
        max: 3_650,
        default: '30',
        doc: ['The time for which the bot keeps the data of a server that it was removed from.'],
      },
    },
  },
  web: {
    title: 'Web part',
    ownPrefixes: [],
    settings: {
      host: {
        variable: 'HOST',
        kind: 'listenHost',
        default: '127.0.0.1',
        doc: ['The address on which the web part listens.'],
      },
      port: {
        variable: 'PORT',
        kind: 'whole',
        unit: 'TCP port',
        min: 0,
        max: 65_535,
        default: '3000',
        doc: ['The port of the web part. 0 picks a free one.'],
      },
      connectionsPerAddress: {
        variable: 'CONNECTIONS_PER_ADDRESS',
        kind: 'whole',
        unit: 'connections',
        min: 1,
        max: 2_000,
        default: '100',
        doc: [
          'The number of connections that one public address (in IPv6, one /64) can have to the web part at the same time.',
          'A further connection closes the oldest idle one of that address.',
          'If the web part is full, the caller with the most connections loses one;',
          'the /56 and the /48 of an IPv6 address count as callers there.',
          'Addresses of this machine and of private networks are exempt, because a proxy there stands for many callers.',
          'Raise the limit behind a proxy with a public address. A proxy should send `X-Forwarded-For`.',
        ],
      },
      publicUrl: {
        variable: 'PUBLIC_URL',
        kind: 'publicUrl',
        default: null,
        unset: 'none',
        doc: [
          'The URL at which the service and the members reach the web part.',
          'Without it the bot polls the jobs, only keeps results that Discord does not accept, and has no page for `/live`.',
        ],
      },
    },
  },
  budget: {
    title: 'Budgets',
    ownPrefixes: ['BUDGET_'],
    settings: {
      limit: {
        variable: 'BUDGET_USD',
        kind: 'dollars',
        default: '10',
        doc: [
          'The amount that a server can spend in each period until its admins set a budget.',
          'With 0, a server spends nothing until then.',
        ],
      },
      period: {
        variable: 'BUDGET_PERIOD',
        kind: 'period',
        default: 'month',
        doc: ['The period of `BUDGET_USD`. `total` is a single period without an end.'],
      },
      timeZone: {
        variable: 'BUDGET_TIME_ZONE',
        kind: 'timeZone',
        default: 'UTC',
        doc: ['The time zone in which the periods of budgets and allowances begin.'],
      },
      allowance: {
        variable: 'BUDGET_ALLOWANCE_USD',
        kind: 'dollars',
        default: null,
        unset: 'none: no limit',
        doc: [
          'The most that a server can spend in each period, whatever its admins set.',
          'The operator can allow a single server more with `/operator`.',
        ],
      },
      allowancePeriod: {
        variable: 'BUDGET_ALLOWANCE_PERIOD',
        kind: 'period',
        default: 'month',
        doc: ['The period of `BUDGET_ALLOWANCE_USD`.'],
      },
    },
  },
  access: {
    title: 'Access, where the admins of a server set no rules with `/access`',
    ownPrefixes: ['ACCESS_'],
    settings: {
      cooldownSeconds: {
        variable: 'ACCESS_COOLDOWN_SECONDS',
        kind: 'whole',
        unit: 'seconds',
        min: 0,
        max: COOLDOWN_SECONDS_MAX as number,
        default: '0',
        doc: ['The pause between two jobs of a member.'],
      },
      concurrentMax: {
        variable: 'ACCESS_JOBS_AT_ONCE',
        kind: 'whole',
        unit: 'jobs',
        min: 1,
        max: CONCURRENT_JOBS_MAX as number,
        default: null,
        unset: 'none: no limit of its own',
        doc: ['The number of jobs that a member can run at the same time.'],
      },
      ageRestrictedOnly: {
        variable: 'ACCESS_AGE_RESTRICTED_ONLY',
        kind: 'yesOrNo',
        default: 'false',
        doc: ['With `true`, the bot accepts jobs only in age-restricted channels.'],
      },
    },
  },
  voice: {
    title: 'Voice Swap',
    ownPrefixes: ['VOICE_'],
    settings: {
      idleSeconds: {
        variable: 'VOICE_IDLE_SECONDS',
        kind: 'whole',
        unit: 'seconds',
        min: 5,
        max: 3_600,
        default: '60',
        doc: [
          'The silence of a speaker after which the bot closes their paid connection until the next word.',
        ],
      },
      noticeFile: {
        variable: 'VOICE_NOTICE_FILE',
        kind: 'file',
        default: null,
        unset: 'an English sentence',
        doc: [
          'A recording that the bot plays in a voice channel before it converts speech.',
          'It is Opus in Ogg, with 20 ms in each packet.',
        ],
      },
    },
  },
  live: {
    title: 'Live Swap Pro',
    ownPrefixes: ['LIVE_'],
    settings: {
      codec: {
        variable: 'LIVE_CODEC',
        kind: 'codec',
        default: null,
        unset: '`jpeg` with the embedded media server, otherwise none',
        doc: [
          'The format in which pictures travel to the service. The embedded media server understands `jpeg`.',
          'Without a codec, `/live` replies that one is missing.',
        ],
      },
    },
  },
  operator: {
    title: 'Notices to the operator',
    ownPrefixes: ['OPERATOR_'],
    settings: {
      channelId: {
        variable: 'OPERATOR_CHANNEL_ID',
        kind: 'channelId',
        default: null,
        unset: 'none: only the log',
        doc: [
          'A Discord channel in which the bot notifies the operator of a low balance, a refused key, an account that is used',
          'up, and charges far above the amount set aside.',
        ],
      },
      lowBalance: {
        variable: 'OPERATOR_LOW_BALANCE_USD',
        kind: 'dollars',
        default: '5',
        doc: ['The balance at the service below which the bot notifies the operator.'],
      },
    },
  },
  log: {
    title: 'Log',
    ownPrefixes: [],
    settings: {
      level: {
        variable: 'LOG_LEVEL',
        kind: 'logLevel',
        default: 'info',
        doc: ['The least important messages that are logged. The log goes to stderr, as lines of JSON.'],
      },
    },
  },
} as const;
