import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { BatcherFull } from '../../base/batcher.ts';
import { CountedLog } from '../../base/counted-log.ts';
import { type WireNote, noteWire } from '../../base/wire-note.ts';
import { type DeliveryProblem, verifyDelivery } from '../../media-api/verify-delivery.ts';
import type { WebOptions } from './web-options.ts';

/** The maximum size of a body. A job's webhook is much smaller. */
const BODY_BYTES_MAX = 256 * 1024;
const CALLBACK_TOKEN = z.object({ callbackToken: z.string().regex(/^[a-z0-9_]{8,64}$/) });

interface Receiving extends WebOptions {
  /** Counts refused webhooks, which anybody can send at any rate. */
  readonly refusals: CountedLog<DeliveryProblem>;
}

/** Returns the path, below the plugin's prefix, to which a job's webhook is delivered. */
export function webhookPath(callbackToken: string): string {
  return `/webhooks/${callbackToken}`;
}

/**
 * Registers `POST /webhooks/{callback token}`, which verifies the exact received bytes, stores them and answers 2xx;
 * the pipeline does the rest. Anything that was not stored durably is answered with 4xx or 5xx.
 */
export function registerWebhooks(scope: FastifyInstance, options: WebOptions): void {
  const refusals = new CountedLog<DeliveryProblem>(options.clock, (line) =>
    options.log.warn(line, 'Webhooks refused'),
  );
  scope.addHook('onClose', () => refusals[Symbol.dispose]());
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser(
    '*',
    { parseAs: 'buffer', bodyLimit: BODY_BYTES_MAX },
    (_request, body, done) => {
      done(null, body);
    },
  );
  scope.setErrorHandler((error: { statusCode?: number }, _request, reply) => {
    // During a flood of webhooks, the refused ones are not logged one by one.
    if (error instanceof BatcherFull) return reply.code(503).send(refusal(503));
    const status = error.statusCode ?? 500;
    if (status >= 500) options.log.error({ error }, 'Cannot store a webhook, the sender will repeat it');
    return reply.code(status).send(refusal(status));
  });
  const receiving: Receiving = { ...options, refusals };
  scope.post(webhookPath(':callbackToken'), { bodyLimit: BODY_BYTES_MAX }, (request, reply) =>
    receive(request, reply, receiving),
  );
}

async function receive(
  request: FastifyRequest,
  reply: FastifyReply,
  options: Receiving,
): Promise<FastifyReply> {
  const params = CALLBACK_TOKEN.safeParse(request.params);
  if (!params.success) return reply.code(404).send(refusal(404));
  if (!Buffer.isBuffer(request.body)) return reply.code(400).send(refusal(400));
  const verified = verifyDelivery({
    headers: distinctHeaders(request.raw.rawHeaders),
    rawBody: request.body,
    secrets: options.signingSecrets(),
    headerPrefix: options.headerPrefix,
    nowMs: options.clock.now(),
  });
  const { byteLength: bytes } = request.body;
  if (!verified.ok) {
    note('refused', null, { bytes, reason: verified.reason });
    options.refusals.add(verified.reason);
    if (verified.authenticJobId !== undefined) await options.inbox.hint(verified.authenticJobId);
    return reply.code(401).send(refusal(401));
  }
  const detail = { bytes, kind: verified.delivery.event };
  const received = options.inbox.receive({
    deliveryId: verified.delivery.deliveryId,
    serviceJobId: verified.delivery.job.id,
    callbackToken: params.data.callbackToken,
    body: request.body,
  });
  const { kept, interactionId } = await received.catch((error: unknown) => {
    note('failed', null, detail);
    throw error;
  });
  note('verified', interactionId, detail);
  return reply.code(200).send({ status: kept });
}

function note(
  status: 'verified' | 'refused' | 'failed',
  useId: string | null,
  detail: WireNote['detail'],
): void {
  noteWire(() => ({ source: 'webhook', what: `POST ${webhookPath(':callback')}`, status, useId, detail }));
}

/** Returns all values of all headers, by their received names. Node.js itself would drop or join repeated headers. */
function distinctHeaders(rawHeaders: readonly string[]): Record<string, string[]> {
  const headers: Record<string, string[]> = Object.create(null);
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? '';
    (headers[name] ??= []).push(rawHeaders[at + 1] ?? '');
  }
  return headers;
}

/** All refusals with the same status have the same text, so it reveals nothing. */
function refusal(status: number): { error: { code: string; message: string } } {
  const code = status === 413 ? 'too_large' : status >= 500 ? 'unavailable' : 'refused';
  return { error: { code, message: 'The webhook was not accepted' } };
}
