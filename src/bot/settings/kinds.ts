import { LOG_LEVELS, type LogLevel } from '../../base/log.ts';
import { type MicroUsd, parseUsd } from '../../base/money.ts';
import { isTimeZone } from '../../base/time-zone.ts';
import { isSafeUrl } from './is-safe-url.ts';
import { type Kind, listOf, matching, oneOf, text, url } from './kind.ts';
import { PRICE_LIST_EXAMPLE, type PriceList, readPriceList } from './price-list.ts';

/** The maximum number of shards that all processes together can run. */
export const SHARD_COUNT_MAX = 16_384;
const PERIODS = ['day', 'week', 'month', 'total'] as const;
const DOLLARS_MAX: MicroUsd = parseUsd('1000000');

/** The type of the values of each kind. */
export interface KindValues {
  /** A key or a token. */
  readonly secret: string;
  /** Several secrets, such as the old and the new one during a rotation. */
  readonly secrets: readonly string[];
  readonly databaseUrl: string;
  readonly discordUrl: string;
  readonly apiUrl: string;
  readonly pageUrl: string;
  readonly publicUrl: string;
  /** The address or host name that a server listens on. */
  readonly listenHost: string;
  readonly cdnHosts: readonly string[];
  readonly origins: readonly string[];
  readonly headerPrefix: string;
  readonly channelId: string;
  /** The path of a file, which need not exist yet. */
  readonly file: string;
  readonly folder: string;
  readonly ffmpeg: string;
  /** A whole number; the setting defines its unit and range. */
  readonly whole: number;
  readonly dollars: MicroUsd;
  readonly prices: PriceList;
  readonly yesOrNo: boolean;
  readonly period: (typeof PERIODS)[number];
  /** The IANA name of a time zone. */
  readonly timeZone: string;
  /** Shard ids such as `0,1`, ranges such as `0-3`, or `auto`. */
  readonly shards: readonly number[] | 'auto';
  readonly codec: 'jpeg';
  readonly logLevel: LogLevel;
}

type Kinds = { readonly [Name in Exclude<keyof KindValues, 'whole'>]: Kind<KindValues[Name]> };

const secret: Kind<string> = {
  ...matching(/^[\x21-\x7e]{1,500}$/, '1 to 500 printable characters without spaces'),
  isSecret: true,
};

/** Every kind except `whole`, whose range each setting defines. */
export const KINDS: Kinds = {
  secret,
  secrets: {
    ...listOf(
      5,
      (part) => secret.read(part) !== undefined,
      'one to five secrets of printable characters without spaces, separated by commas',
    ),
    isSecret: true,
  },
  databaseUrl: {
    ...matching(/^(sqlite:.+|postgres(ql)?:\/\/.+)$/, 'sqlite:<path> or postgres://…'),
    isSecret: true,
  },
  discordUrl: url('an https URL such as https://discord.com/api, or http on loopback', isSafeUrl),
  apiUrl: url(
    'a base URL including /api/v1, https or, on loopback or with MEDIA_API_ALLOW_HTTP, http',
    ({ pathname }) => /\/api\/v\d+\/?$/.test(pathname),
  ),
  pageUrl: url(
    'how browsers reach the chat page, such as https://chat.example or http://192.168.1.20:4000',
    ({ pathname }) => pathname === '/',
  ),
  publicUrl: url('a URL, https or, on loopback or with MEDIA_API_ALLOW_HTTP, http', () => true),
  listenHost: matching(/^[A-Za-z0-9.:_-]{1,255}$/, 'an address or host name to listen on'),
  cdnHosts: listOf(20, isHostAndPort, 'one to twenty hosts, each host or host:port, separated by commas'),
  origins: listOf(
    5,
    isSafeOrigin,
    'one to five origins such as https://media.example.com, or http on loopback, separated by commas',
  ),
  headerPrefix: matching(
    /^[A-Za-z][A-Za-z0-9-]{0,49}$/,
    '1 to 50 letters, digits and hyphens, beginning with a letter',
  ),
  channelId: matching(/^\d{15,20}$/, 'the id of a Discord channel'),
  file: text('a file'),
  folder: text('a folder'),
  ffmpeg: text('the path or name of an FFmpeg program'),
  dollars: {
    allowed: 'dollars from 0 to 1000000 with at most six decimals',
    read: readDollars,
  },
  prices: { allowed: `dollars by capability, such as ${PRICE_LIST_EXAMPLE}`, read: readPriceList },
  yesOrNo: {
    allowed: 'one of true, false',
    read: (value) => (value === 'true' ? true : value === 'false' ? false : undefined),
  },
  period: oneOf(PERIODS),
  timeZone: {
    allowed: 'the name of a time zone such as Europe/Berlin',
    read: (value) => (isTimeZone(value) ? value : undefined),
  },
  shards: {
    allowed: 'auto, or shards such as 0,1 or 0-3, each once',
    read: (value) => (value === 'auto' ? value : readShards(value)),
  },
  codec: oneOf(['jpeg']),
  logLevel: oneOf(LOG_LEVELS),
};

/** Reads US dollars, exact to the micro-dollar. */
function readDollars(value: string): MicroUsd | undefined {
  if (!/^\d{1,7}(\.\d{1,6})?$/.test(value)) return undefined;
  const amount = parseUsd(value);
  return amount <= DOLLARS_MAX ? amount : undefined;
}

/** Reads shard ids and ranges. Returns undefined if they are malformed or a shard is listed twice. */
function readShards(value: string): readonly number[] | undefined {
  const ids: number[] = [];
  for (const part of value.split(',')) {
    const [, first, last = first] = /^(\d{1,5})(?:-(\d{1,5}))?$/.exec(part.trim()) ?? [];
    if (first === undefined || Number(last) < Number(first)) return undefined;
    for (let id = Number(first); id <= Number(last); id++) ids.push(id);
    if (ids.length > SHARD_COUNT_MAX) return undefined;
  }
  return new Set(ids).size === ids.length ? ids : undefined;
}

/** Whether `text` is `host` or `host:port`. */
function isHostAndPort(text: string): boolean {
  return (
    URL.parse(`https://${text}/`)?.host === text.toLowerCase().replace(/:443$/, '') && !text.includes('/')
  );
}

/** Whether `text` is an origin such as `https://media.example.com`: https, or http on loopback. */
function isSafeOrigin(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && url.origin === text && isSafeUrl(url);
}
