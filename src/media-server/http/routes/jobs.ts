import type { FastifyInstance } from 'fastify';
import type { Services } from '../services.ts';
import { toWireJob } from '../../wire/to-wire-job.ts';

/** Adds the route `GET /jobs/{id}`. */
export function jobRoutes(app: FastifyInstance, { gate, jobs, links }: Services): void {
  app.get<{ Params: { id: string } }>('/jobs/:id', (request) =>
    toWireJob(jobs.read(gate.accountOf(request), request.params.id), links),
  );
}
