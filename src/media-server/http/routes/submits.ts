import type { FastifyInstance } from 'fastify';
import { SUBMIT_SEGMENT } from '../../../media-api/wire.ts';
import type { Services } from '../services.ts';
import { parseSubmission } from '../../jobs/submission.ts';

/** Adds, for each capability on offer, a route that submits a job, such as `POST /face-swap-image`. */
export function submitRoutes(app: FastifyInstance, services: Services): void {
  const { gate, jobs, capabilities, callbackPolicy } = services;
  for (const capability of capabilities) {
    app.post(`/${SUBMIT_SEGMENT[capability.feature]}`, (request) => {
      const submission = parseSubmission(capability, request.body, {
        idempotencyKey: request.headers['idempotency-key'],
        callbackPolicy,
      });
      return jobs.submit(gate.accountOf(request), capability, submission);
    });
  }
}
