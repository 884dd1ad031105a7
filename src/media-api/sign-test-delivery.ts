import { signDelivery } from '../base/signing.ts';
import type { WireDelivery, WireJob } from './wire.ts';

export interface TestDelivery {
  readonly secret: string;
  readonly nowMs: number;
  /** The prefix of the header names. Default `Service`. */
  readonly headerPrefix?: string;
  /** Default: an id derived from the job's id. */
  readonly deliveryId?: string;
}

/**
 * Creates a delivery as the service would send it. Tests of a host's own webhook route can post `rawBody` with
 * `headers` to that route.
 */
export function signTestDelivery(
  job: WireJob,
  options: TestDelivery,
): { headers: Record<string, string>; rawBody: Buffer } {
  const { secret, nowMs, headerPrefix = 'Service', deliveryId = `delivery-of-${job.id}` } = options;
  const event = job.status === 'failed' ? 'job.failed' : 'job.succeeded';
  const sentAt = new Date(nowMs).toISOString();
  const delivery: WireDelivery = { event, sent_at: sentAt, delivery_id: deliveryId, data: job };
  const rawBody = Buffer.from(JSON.stringify(delivery));
  const headers = {
    'content-type': 'application/json',
    [`${headerPrefix}-Signature`]: signDelivery(secret, Math.floor(nowMs / 1000), rawBody),
    [`${headerPrefix}-Event`]: event,
    [`${headerPrefix}-Delivery`]: deliveryId,
  };
  return { headers, rawBody };
}
