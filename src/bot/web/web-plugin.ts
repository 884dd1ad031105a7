import type { FastifyInstance } from 'fastify';
import { limitExchange } from '../../base/limit-exchange.ts';
import { registerHealth } from './register-health.ts';
import { registerLive } from './live/register-live.ts';
import { registerResults } from './register-results.ts';
import type { WebOptions } from './web-options.ts';
import { registerWebhooks } from './register-webhooks.ts';

/** Enough for the largest webhook over a slow connection. */
const ANSWER_MS_MAX = 30_000;

/**
 * Returns Masquerade's routes as a fastify plugin, which can be registered under any prefix. It is encapsulated: the
 * parsers, hooks and error handlers of the host's other routes stay unchanged. If a request is not answered in time,
 * its connection is closed, even on a host's server without limits.
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
