import { BlockList, isIP } from 'node:net';
import type { FastifyRequest } from 'fastify';

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4');
LOOPBACK.addAddress('::1', 'ipv6');

const PROXY_HEADERS = [
  'forwarded',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-real-ip',
  'via',
];

/**
 * Returns whether a request comes from this machine and not through a proxy. The host name is checked, too: a page in a
 * local browser or a local proxy also connects from loopback, but uses its own host name.
 */
export function isDirectFromLoopback({ raw, headers }: FastifyRequest): boolean {
  const isProxied = PROXY_HEADERS.some((name) => name in headers);
  const name = URL.parse(`http://${headers.host ?? ''}`)?.hostname ?? '';
  return (
    !isProxied && isLoopback(raw.socket.remoteAddress ?? '') && (name === 'localhost' || isLoopback(name))
  );
}

/** Returns whether a host is a loopback address. An IPv6 address may be in brackets. */
function isLoopback(host: string): boolean {
  const address = host.replace(/^::ffff:(?=\d+\.)/i, '').replace(/^\[(.*)\]$/, '$1');
  const version = isIP(address);
  return version !== 0 && LOOPBACK.check(address, version === 4 ? 'ipv4' : 'ipv6');
}
