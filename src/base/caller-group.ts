import { BlockList, isIP, isIPv6 } from 'node:net';

/** Addresses that many callers may share: this machine, private networks, and the carrier-grade NAT range. */
const SHARED = new BlockList();
for (const [network, prefix] of [
  ['127.0.0.0', 8],
  ['10.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
  ['169.254.0.0', 16],
  ['100.64.0.0', 10],
] as const) {
  SHARED.addSubnet(network, prefix, 'ipv4');
}
SHARED.addAddress('::1', 'ipv6');
SHARED.addSubnet('fc00::', 7, 'ipv6');
SHARED.addSubnet('fe80::', 10, 'ipv6');

const GROUPS = 8;
/** A provider gives each customer at least a /64 of IPv6 addresses, whose prefix has this many 16-bit groups. */
const CUSTOMER_GROUPS = 4;
/** A customer who asks for more gets at most a /48 of IPv6 addresses, whose prefix has this many 16-bit groups. */
const SITE_GROUPS = 3;

/**
 * Returns the networks that count as one caller each, the widest first: the /48, /56 and /64 of an IPv6 address, or the
 * IPv4 address itself.
 */
export function callerNetworks(address: string): readonly string[] {
  const plain = withoutMapping(address);
  if (!isIPv6(plain)) return [plain];
  const groups = expand(plain);
  const site = groups.slice(0, SITE_GROUPS).join(':');
  const half = (Number.parseInt(groups[SITE_GROUPS] ?? '0', 16) >> 8).toString(16);
  return [`${site}::/48`, `${site}:${half}00::/56`, `${groups.slice(0, CUSTOMER_GROUPS).join(':')}::/64`];
}

/**
 * Returns the key under which an address counts as a caller: the IPv4 address itself, or the /64 of an IPv6 address.
 */
export function callerGroup(address: string): string {
  return callerNetworks(address).at(-1) ?? '';
}

/**
 * Whether many callers may share the address. An address of this machine or of a private network is often that of a
 * proxy. Text that is not an address, such as the peer of a Unix socket, counts as shared too.
 */
export function isSharedAddress(address: string): boolean {
  const plain = withoutMapping(address);
  const version = isIP(plain);
  return version === 0 || SHARED.check(plain, version === 4 ? 'ipv4' : 'ipv6');
}

function withoutMapping(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.)/i, '').replace(/%.*$/, '');
}

/** Returns the eight groups of an IPv6 address, without leading zeros. */
function expand(address: string): readonly string[] {
  const [before = '', after] = address.toLowerCase().split('::');
  const head = groupsOf(before);
  const tail = groupsOf(after ?? '');
  const gap = after === undefined ? 0 : Math.max(0, GROUPS - head.length - tail.length);
  return [...head, ...Array.from({ length: gap }, () => '0'), ...tail];
}

function groupsOf(text: string): readonly string[] {
  if (text === '') return [];
  return text
    .split(':')
    .flatMap((group) => (group.includes('.') ? ['0', '0'] : [group.replace(/^0+(?=.)/, '')]));
}
