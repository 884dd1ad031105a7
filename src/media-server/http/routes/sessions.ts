import type { FastifyInstance } from 'fastify';
import { SESSION_SEGMENT } from '../../../media-api/wire.ts';
import type { Services } from '../services.ts';

/** One open per session capability, such as `POST /voice/session`; an `Idempotency-Key` means nothing here. */
export function sessionRoutes(app: FastifyInstance, { gate, sessions, sessionKinds }: Services): void {
  for (const kind of sessionKinds) {
    app.post(`/${SESSION_SEGMENT[kind.feature]}/session`, (request) => {
      const accountId = gate.accountOf(request);
      const { body = {} } = request;
      return sessions.open(accountId, kind, kind.parse(body, accountId));
    });
  }
}
