import { BlockList, isIP } from 'node:net';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { EXPOSITION_TYPE } from '../../metrics/exposition.ts';
import type { Metrics } from '../../metrics/metrics.ts';
import { ApiError } from '../../wire/api-error.ts';

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
 * `GET /metrics`, at the root and without a key, for who operates this machine: only a direct caller from loopback
 * is answered. What comes through a proxy is the outside world, to which the resource does not exist.
 */
export function metricsRoutes(app: FastifyInstance, metrics: Metrics): void {
  app.get('/metrics', async (request, reply) => {
    if (!isOperator(request)) throw new ApiError('not_found', 'No such resource');
    return await reply.type(EXPOSITION_TYPE).send(metrics.toText());
  });
}

/** By name too: a page in a browser here, or a proxy, can come from loopback, but asks for the name it knows. */
function isOperator({ raw, headers }: FastifyRequest): boolean {
  const isProxied = PROXY_HEADERS.some((name) => name in headers);
  const name = URL.parse(`http://${headers.host ?? ''}`)?.hostname ?? '';
  return (
    !isProxied && isLoopback(raw.socket.remoteAddress ?? '') && (name === 'localhost' || isLoopback(name))
  );
}

/** An IPv6 address may stand in brackets. */
function isLoopback(host: string): boolean {
  const address = host.replace(/^::ffff:(?=\d+\.)/i, '').replace(/^\[(.*)\]$/, '$1');
  const version = isIP(address);
  return version !== 0 && LOOPBACK.check(address, version === 4 ? 'ipv4' : 'ipv6');
}
