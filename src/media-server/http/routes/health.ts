import type { FastifyInstance } from 'fastify';
import type { Database } from '../../store/database.ts';

/**
 * Adds the routes `GET /healthz` and `GET /readyz`, at the root and without a key. The server is ready if the database
 * can be written to.
 */
export function healthRoutes(app: FastifyInstance, db: Database): void {
  app.get('/healthz', () => ({ status: 'ok' }));
  app.get('/readyz', async (_request, reply) => {
    const ready = app.server.listening && db.isWritable();
    return await reply.code(ready ? 200 : 503).send({ status: ready ? 'ready' : 'unavailable' });
  });
}
