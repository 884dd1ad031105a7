import type { FastifyInstance } from 'fastify';
import type { Services } from '../services.ts';

/** Adds the route `POST /uploads`. */
export function uploadRoutes(app: FastifyInstance, { gate, uploads }: Services): void {
  app.addContentTypeParser('multipart/form-data', (_request, _payload, done) => done(null));
  app.post('/uploads', (request) => uploads.receive(gate.accountOf(request), request.raw));
}
