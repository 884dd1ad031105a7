import type { FastifyInstance } from 'fastify';

/** The parts that must work before the bot can serve members, and whether each does. */
export type Readiness = Readonly<Record<string, boolean>>;

/**
 * Registers `/healthz`, which answers as long as the process runs, and `/readyz`, which lists the parts and answers 200
 * if all of them are ready, otherwise 503.
 */
export function registerHealth(fastify: FastifyInstance, readiness: () => Promise<Readiness>): void {
  // Concurrent callers share one check, because anybody may ask at any rate.
  let looking: Promise<Readiness> | undefined;
  const look = (): Promise<Readiness> => (looking ??= readiness().finally(() => (looking = undefined)));
  fastify.get('/healthz', () => ({ status: 'ok' }));
  fastify.get('/readyz', async (_request, reply) => {
    const parts = await look();
    const ready = Object.values(parts).every(Boolean);
    return reply.code(ready ? 200 : 503).send({ status: ready ? 'ready' : 'not_ready', parts });
  });
}
