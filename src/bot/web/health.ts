import type { FastifyInstance } from 'fastify';

/** Each part that must work before members are served, and whether it does. */
export type Readiness = Readonly<Record<string, boolean>>;

/** `/healthz`: the process answers. `/readyz`: 200 when every part is ready, else 503; names the parts. */
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
