import type { FastifyInstance } from 'fastify';
import { SESSION_SEGMENT } from '../../../media-api/wire.ts';
import type { Services } from '../services.ts';

/**
 * Adds, for each session capability, a route that opens a session, such as `POST /voice/session`. The `Idempotency-Key`
 * header is ignored.
 */
export function sessionRoutes(app: FastifyInstance, { gate, sessions, sessionKinds }: Services): void {
  for (const kind of sessionKinds) {
    app.post(`/${SESSION_SEGMENT[kind.feature]}/session`, (request) => {
      const accountId = gate.accountOf(request);
      const { body = {} } = request;
      return sessions.open(accountId, kind, kind.parse(body, accountId));
    });
  }
}
