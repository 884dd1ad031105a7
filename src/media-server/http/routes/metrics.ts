import type { FastifyInstance } from 'fastify';
import { EXPOSITION_TYPE } from '../../metrics/format-metrics.ts';
import type { Metrics } from '../../metrics/metrics.ts';
import { ApiError } from '../../wire/api-error.ts';
import { isDirectFromLoopback } from '../is-direct-from-loopback.ts';

/**
 * Adds the route `GET /metrics`, at the root and without a key, for the operator of this machine. It only
 * answers direct callers from loopback; for requests through a proxy the route does not exist.
 */
export function metricsRoutes(app: FastifyInstance, metrics: Metrics): void {
  app.get('/metrics', async (request, reply) => {
    if (!isDirectFromLoopback(request)) throw new ApiError('not_found', 'No such resource');
    return await reply.type(EXPOSITION_TYPE).send(metrics.toText());
  });
}
