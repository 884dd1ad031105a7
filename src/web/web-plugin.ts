import type { FastifyInstance } from 'fastify';
import { registerHealth } from './health.ts';
import { registerLive } from './live/live-routes.ts';
import { registerResults } from './results.ts';
import type { WebOptions } from './web-options.ts';
import { registerWebhooks } from './webhooks.ts';

/**
 * Masquerade's routes as a fastify plugin; register it under any prefix. Encapsulated: parsers, hooks and
 * error handling of the host's other routes stay as they are.
 */
export function webPlugin(options: WebOptions): (fastify: FastifyInstance) => Promise<void> {
  return async (fastify) => {
    fastify.addHook('onRequest', async (_request, reply) => {
      if (!options.isOpen()) await reply.code(503).send({ status: 'stopped' });
    });
    registerHealth(fastify, options.readiness);
    await fastify.register((scope) => registerWebhooks(scope, options));
    await fastify.register((scope) => registerResults(scope, options));
    const { live } = options;
    if (live) await fastify.register((scope) => registerLive(scope, live));
  };
}
