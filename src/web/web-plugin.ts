import type { FastifyInstance } from 'fastify';
import type { Clock } from '../base/clock.ts';
import type { Logger } from '../base/log.ts';
import type { WebhookInbox } from '../jobs/webhook-inbox.ts';
import { type Readiness, registerHealth } from './health.ts';
import { registerWebhooks } from './webhooks.ts';

export interface WebOptions {
  readonly inbox: WebhookInbox;
  /** The secrets a webhook may be signed with: several during rotation, none refuses all. */
  readonly signingSecrets: () => readonly string[];
  /** The service's name in its header names. */
  readonly headerPrefix: string;
  /** False once the bot was disposed: a host's server goes on, and must not promise anything. */
  readonly isOpen: () => boolean;
  readonly readiness: () => Promise<Readiness>;
  readonly clock: Clock;
  readonly log: Logger;
}

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
  };
}
