import { BlockList, isIP, isIPv4, isIPv6 } from 'node:net';

/**
 * The addresses that webhooks may go to: public ones and, for an embedded server, this machine's loopback addresses.
 */
export type CallbackPolicy = 'public' | 'public-and-loopback';

const URL_LENGTH_MAX = 2048;

/**
 * Returns what is wrong with the text of a `callback_url`, or `undefined`. Host names are resolved and checked at each
 * attempt.
 */
export function checkCallbackUrl(text: string, policy: CallbackPolicy): string | undefined {
  if (text.length > URL_LENGTH_MAX) return `is longer than ${URL_LENGTH_MAX} characters`;
  const url = URL.parse(text);
  if (!url) return 'is not a URL';
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'must use http or https';
  if (url.username || url.password) return 'must not contain credentials';
  if (url.port === '0') return 'has no usable port';
  const host = hostOf(url);
  if (isIP(host) ? !isAllowedAddress(host, host, policy) : isRefusedName(host, policy)) {
    return 'leads to an address that is not allowed';
  }
  return undefined;
}

/**
 * Returns whether a webhook for `host` may connect to `address`. Loopback is allowed only if the host itself
 * is a loopback address or `localhost`: a public name that resolves to loopback is a rebinding attack.
 */
export function isAllowedAddress(address: string, host: string, policy: CallbackPolicy): boolean {
  const plain = unmapped(address);
  if (isLoopback(plain)) return policy === 'public-and-loopback' && (isIP(host) > 0 || isLocalhost(host));
  if (isIPv4(plain)) return !PRIVATE.check(plain, 'ipv4');
  return isIPv6(plain) && PUBLIC_V6.check(plain, 'ipv6') && !PRIVATE.check(plain, 'ipv6');
}

/** Returns the host of a URL in the form for DNS and sockets: without brackets and without a trailing dot. */
export function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
}

function isRefusedName(host: string, policy: CallbackPolicy): boolean {
  if (host === '') return true;
  if (isLocalhost(host)) return policy !== 'public-and-loopback';
  return /\.(local|internal|localdomain|home\.arpa|onion)$/.test(host) || !host.includes('.');
}

function isLocalhost(host: string): boolean {
  return host === 'localhost' || host.endsWith('.localhost');
}

function isLoopback(address: string): boolean {
  return isIPv4(address) ? LOOPBACK.check(address, 'ipv4') : LOOPBACK.check(address, 'ipv6');
}

/** Returns the IPv4 address inside an IPv4-mapped IPv6 address; other addresses stay as they are. */
function unmapped(address: string): string {
  if (!isIPv6(address) || !MAPPED.check(address, 'ipv6')) return address;
  const tail = URL.parse(`http://[${address}]/`)?.hostname.slice('[::ffff:'.length, -1) ?? '';
  const [high = '', low = ''] = tail.split(':');
  const number = Number.parseInt(high, 16) * 65_536 + Number.parseInt(low, 16);
  return [24, 16, 8, 0].map((shift) => (number >>> shift) & 255).join('.');
}

function subnets(type: 'ipv4' | 'ipv6', ...nets: readonly (readonly [string, number])[]): BlockList {
  const list = new BlockList();
  for (const [net, prefix] of nets) list.addSubnet(net, prefix, type);
  return list;
}

const MAPPED = subnets('ipv6', ['::ffff:0:0', 96]);
const PUBLIC_V6 = subnets('ipv6', ['2000::', 3]);
const LOOPBACK = subnets('ipv4', ['127.0.0.0', 8]);
LOOPBACK.addAddress('::1', 'ipv6');

/**
 * All blocks in IANA's special-purpose registries that are not listed as globally reachable, plus multicast. IPv6
 * blocks outside `PUBLIC_V6` are omitted.
 */
const PRIVATE = subnets(
  'ipv4',
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
);
for (const [net, prefix] of [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const) {
  PRIVATE.addSubnet(net, prefix, 'ipv6');
}
