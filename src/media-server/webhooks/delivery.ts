import { hmacHex, signDelivery } from '../../base/signing.ts';
import type { WireDelivery, WireJob } from '../../media-api/wire.ts';

interface DeliveryOptions {
  readonly deliveryId: string;
  readonly data: WireJob;
  readonly now: number;
  /** The current signing secret, then those that still overlap with it. Each adds a `v1` signature. */
  readonly secrets: readonly [string, ...string[]];
  /** The service's name in the header names. */
  readonly headerPrefix: string;
}

export interface Delivery {
  readonly body: Uint8Array;
  readonly headers: Readonly<Record<string, string>>;
}

/** Builds the body and the headers of one attempt, which is signed with its own timestamp `t`. */
export function buildDelivery(options: DeliveryOptions): Delivery {
  const { deliveryId, data, now, headerPrefix } = options;
  const event = data.status === 'succeeded' ? 'job.succeeded' : 'job.failed';
  const delivery: WireDelivery = {
    event,
    sent_at: new Date(now).toISOString(),
    delivery_id: deliveryId,
    data,
  };
  const body = Buffer.from(JSON.stringify(delivery));
  const timestamp = Math.floor(now / 1000);
  const [secret, ...retiring] = options.secrets;
  const signatures = [
    signDelivery(secret, timestamp, body),
    ...retiring.map((old) => `v1=${hmacHex(old, `${timestamp}.`, body)}`),
  ];
  return {
    body,
    headers: {
      'content-type': 'application/json',
      'user-agent': 'media-server-webhooks/1',
      [`${headerPrefix}-Signature`]: signatures.join(','),
      [`${headerPrefix}-Event`]: event,
      [`${headerPrefix}-Delivery`]: deliveryId,
    },
  };
}
