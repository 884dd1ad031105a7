import { isLoopbackHost } from '../../base/public-address.ts';

/** Whether a key, a token or a callback may be sent to `url`: https, or http to this machine. */
export function isSafeUrl(url: URL): boolean {
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopbackHost(url.hostname));
}
