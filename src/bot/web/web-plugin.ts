import type { FastifyInstance } from 'fastify';
import { limitExchange } from '../../base/limit-exchange.ts';
import { registerHealth } from './health.ts';
import { registerLive } from './live/register-live.ts';
import { registerResults } from './results.ts';
import type { WebOptions } from './web-options.ts';
import { registerWebhooks } from './webhooks.ts';

/** Long enough for a webhook of the largest size on a slow line. */
const ANSWER_MS_MAX = 30_000;

/**
 * Masquerade's routes as a fastify plugin; register it under any prefix. Encapsulated: parsers, hooks and error
 * handling of the host's other routes stay as they are. Every request is answered, or its connection closed, in time,
 * even on a host's server that has no limits.
 */
export function webPlugin(options: WebOptions): (fastify: FastifyInstance) => Promise<void> {
  return async (fastify) => {
    fastify.addHook('onRequest', async (request, reply) => {
      limitExchange(request, reply, { answerMs: ANSWER_MS_MAX, clock: options.clock });
      if (!reply.sent && !options.isOpen()) await reply.code(503).send({ status: 'stopped' });
    });
    registerHealth(fastify, options.readiness);
    await fastify.register((scope) => registerWebhooks(scope, options));
    await fastify.register((scope) => registerResults(scope, options));
    const { live } = options;
    if (live) await fastify.register((scope) => registerLive(scope, live));
  };
}
