import { type MicroUsd, parseUsd } from './money.ts';
import { isLoopbackHost } from './public-address.ts';

/** The hosts on which Discord stores attachments. */
export const DISCORD_CDN_HOSTS: readonly string[] = ['cdn.discordapp.com', 'media.discordapp.net'];
export const SHARD_COUNT_MAX = 16_384;
export const CONNECTIONS_PER_ADDRESS_MAX = 2_000;
export const PORT_MAX = 65_535;
export const REQUESTS_PER_MINUTE_MAX = 100_000;
export const BUDGET_LIMIT_MAX: MicroUsd = parseUsd('1000000');
export const JOB_PRICE_MAX: MicroUsd = parseUsd('1000');
export const COOLDOWN_SECONDS_MAX = 86_400;
export const CONCURRENT_JOBS_MAX = 50;
export const CONSOLE_ORIGINS_MAX = 5;
export const DEPARTED_KEEP_DAYS_MAX = 3_650;
export const VOICE_IDLE_SECONDS_MIN = 5;
export const VOICE_IDLE_SECONDS_MAX = 3_600;
export const CHANNEL_ID: RegExp = /^\d{15,20}$/;
export const LIVE_CODECS = ['jpeg'] as const;
export const BUDGET_PERIODS = ['day', 'week', 'month', 'total'] as const;

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

/** Whether the text is `host` or `host:port`. */
export function isHostAndPort(text: string): boolean {
  return (
    URL.parse(`https://${text}/`)?.host === text.toLowerCase().replace(/:443$/, '') && !text.includes('/')
  );
}

/** Whether a host stands for all addresses of a machine, so that no browser can connect to it. */
export function isWildcardHost(host: string): boolean {
  return host === '0.0.0.0' || host === '::';
}

/** Whether a URL has no path, query or fragment. */
export function isBareUrl(text: string): boolean {
  return isPlainUrl(text) && new URL(text).pathname === '/';
}

/** An origin such as `https://media.example.com`: https, or http on loopback. */
export function isSafeOrigin(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && url.origin === text && isSafeUrl(url);
}

/** Whether these shards are valid numbers of `count` shards, each given once. */
export function areShardsOf(shards: readonly number[] | 'auto', count: number | null): boolean {
  if (shards === 'auto') return true;
  return count !== null && new Set(shards).size === shards.length && shards.every((id) => id < count);
}
