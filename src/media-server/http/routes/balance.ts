import type { FastifyInstance } from 'fastify';
import type { Services } from '../services.ts';

/** Adds the route `GET /balance`. */
export function balanceRoutes(app: FastifyInstance, { gate, billing }: Services): void {
  app.get('/balance', (request) => billing.balance(gate.accountOf(request)));
}
