import { BlockList, isIPv4 } from 'node:net';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { EXPOSITION_TYPE } from '../../metrics/exposition.ts';
import type { Metrics } from '../../metrics/metrics.ts';
import { ApiError } from '../../wire/api-error.ts';

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4');
LOOPBACK.addAddress('::1', 'ipv6');

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

function isOperator({ raw, headers }: FastifyRequest): boolean {
  const address = (raw.socket.remoteAddress ?? '').replace(/^::ffff:(?=\d+\.)/i, '');
  const isProxied = ['forwarded', 'x-forwarded-for', 'x-real-ip', 'via'].some((name) => name in headers);
  return !isProxied && address !== '' && LOOPBACK.check(address, isIPv4(address) ? 'ipv4' : 'ipv6');
}
