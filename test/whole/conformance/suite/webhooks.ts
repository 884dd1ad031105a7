import { createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { wireDelivery } from '../../../../src/media-api/wire.ts';
import { isUnavailable, pollToEnd, readSubmitted, submit } from '../jobs.ts';
import { keyOf } from '../media.ts';
import { useReceiver } from '../receiver.ts';
import type { Target } from '../target.ts';

const TOLERANCE_SECONDS = 300;

/** Tests webhooks, which this machine receives. These tests cost as much as one small job. */
export function webhooksSuite(target: () => Target): void {
  describe('webhooks', () => {
    test.for([
      ['succeeded', 'face'],
      ['failed', 'broken'],
    ] as const)(
      'a job that %s is announced, signed, with the same content as GET',
      async ([status, face], { skip }) => {
        const { callbacks, options } = target();
        if ('missing' in callbacks) return skip(callbacks.missing);
        const receiver = await useReceiver(target(), callbacks.host);
        const body = { image_key: await keyOf(target(), 'portrait'), face_key: await keyOf(target(), face) };
        const answer = await submit(target(), 'photo_swap', { ...body, callback_url: receiver.url });
        if (isUnavailable(answer)) return skip('photo_swap is switched off');
        const submitted = readSubmitted(answer);
        const { headers, raw, receivedAtMs } = await receiver.next();
        const delivery = wireDelivery.parse(JSON.parse(raw.toString('utf8')));
        const job = await pollToEnd(target(), submitted);
        const prefix = options.headerPrefix.toLowerCase();
        const [, t = '', v1 = ''] =
          /^t=(\d+),v1=([0-9a-f]{64})/.exec(String(headers[`${prefix}-signature`])) ?? [];
        const signed = createHmac('sha256', options.secret ?? '')
          .update(`${t}.`)
          .update(raw)
          .digest('hex');
        expect(v1).toBe(signed);
        expect(Math.abs(receivedAtMs / 1000 - Number(t))).toBeLessThan(TOLERANCE_SECONDS);
        expect(delivery.event).toBe(`job.${status}`);
        expect([headers[`${prefix}-event`], headers[`${prefix}-delivery`]]).toEqual([
          delivery.event,
          delivery.delivery_id,
        ]);
        const { id, error } = delivery.data;
        expect([id, delivery.data.status, error?.code]).toEqual([job.id, job.status, job.error?.code]);
        expect([null, job.charged_usd]).toContain(delivery.data.charged_usd);
      },
    );
  });
}
