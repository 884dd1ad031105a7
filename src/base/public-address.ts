import { type LookupAddress, type LookupOptions, lookup } from 'node:dns';
import { BlockList, isIP } from 'node:net';

const NOT_PUBLIC_4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
];

const notPublic4 = blockList(NOT_PUBLIC_4, 'ipv4');
// In IPv6 only global unicast is public, except for ranges that carry an IPv4 address or are reserved.
const unicast6 = blockList(['2000::/3'], 'ipv6');
const notPublic6 = blockList(['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'], 'ipv6');

/**
 * Whether an IP address belongs to the public internet and is not loopback, private, link-local, reserved or tunnelled.
 */
export function isPublicAddress(address: string): boolean {
  const version = isIP(address);
  if (version === 4) return !notPublic4.check(address, 'ipv4');
  return version === 6 && unicast6.check(address, 'ipv6') && !notPublic6.check(address, 'ipv6');
}

/** Whether a URL's host is this machine: `localhost`, 127.0.0.0/8 or [::1]. */
export function isLoopbackHost(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d{1,3}){3}$/.test(hostname);
}

/** A host name resolved to an address that is not public, so the socket did not connect. */
export class PrivateAddressError extends Error {
  readonly code = 'EPRIVATEADDRESS';

  constructor() {
    super('Cannot connect: the host has an address that is not public');
    this.name = 'PrivateAddressError';
  }
}

type LookupCallback = (
  error: NodeJS.ErrnoException | null,
  address: string | LookupAddress[],
  family?: number,
) => void;

type AllCallback = (error: NodeJS.ErrnoException | null, found: LookupAddress[]) => void;
/** Finds all addresses of a name, as `dns.lookup` does. */
export type LookupAll = (
  hostname: string,
  options: LookupOptions & { all: true },
  callback: AllCallback,
) => void;

/** The lookup function of a socket. */
export type SocketLookup = (hostname: string, options: LookupOptions, callback: LookupCallback) => void;

/**
 * A `dns.lookup` for sockets that fails with `PrivateAddressError` if any address of the name is not public. The socket
 * connects to the addresses that were checked, so the name cannot resolve to others in between. (A socket to a literal
 * IP address does no lookup: check such an address with `isPublicAddress`.)
 */
export const lookupPublic: SocketLookup = publicLookup(lookup);

/** Returns a lookup like `lookupPublic` that finds addresses with `lookupAll`. */
export function publicLookup(lookupAll: LookupAll): SocketLookup {
  return (hostname, options, callback) => {
    lookupAll(hostname, { ...options, all: true }, (error, found) => {
      if (error) return callback(error, []);
      const [first] = found;
      if (!first || !found.every(({ address }) => isPublicAddress(address))) {
        return callback(new PrivateAddressError(), []);
      }
      if (options.all) callback(null, found);
      else callback(null, first.address, first.family);
    });
  };
}

function blockList(ranges: readonly string[], family: 'ipv4' | 'ipv6'): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [network = '', prefix] = range.split('/');
    list.addSubnet(network, Number(prefix), family);
  }
  return list;
}
