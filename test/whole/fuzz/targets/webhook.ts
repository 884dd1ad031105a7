import { hmacHex } from '../../../../src/base/signing.ts';
import { type DeliveryVerdict, verifyDelivery } from '../../../../src/media-api/verify-delivery.ts';
import { distort, jsonText } from '../grammar/json.ts';
import type { Random } from '../random.ts';
import { type FuzzTarget, demand } from '../target.ts';

const SECRETS = ['whsec_first', 'whsec_second'];
const NOW_MS = 1_770_000_000_000;
/** A placeholder in a header for the signature of a service that knows the secret. */
const SIGNED = '{signed}';

/**
 * Webhooks: headers, an empty line, the body. If a header contains the placeholder, the final body is signed.
 */
export const webhook: FuzzTarget = {
  name: 'webhook',
  generate(random) {
    const status = random.happens(85)
      ? random.pick(['succeeded', 'failed'])
      : random.pick(['processing', 'done']);
    const delivery = {
      event: random.happens(85) ? `job.${status}` : random.pick(['job.succeeded', '', 'constructor']),
      sent_at: '2026-02-02T00:00:00Z',
      delivery_id: `d-${random.int(1, 9)}`,
      data: {
        id: 'job_1',
        status,
        output_url: random.pick([null, 'https://media.example/x']),
        charged_usd: random.pick([null, 0.05, 1e-7, 12]),
        error: random.pick([null, { code: 'face_not_detected', message: '' }]),
      },
    };
    const body = jsonText(random, random.happens(40) ? distort(random, delivery, 8) : delivery);
    const headers = Array.from({ length: random.happens(10) ? random.int(0, 30) : 1 }, () => header(random));
    return Buffer.from(`${headers.join('\n')}\n\n${body}`);
  },
  run(input) {
    const { headers, rawBody } = read(input);
    const verdict = verify(headers, rawBody);
    const isSigned = Object.values(headers).some((values) =>
      values.some((value) => isGenuine(value, rawBody)),
    );
    if (!isSigned)
      demand(!verdict.ok && verdict.authenticJobId === undefined, 'an unsigned delivery is accepted');
    if (!verdict.ok) return 'refused';
    const { deliveryId, job } = verdict.delivery;
    demand(
      deliveryId !== '' && deliveryId.length <= 200 && job.id !== '',
      'a delivery without an id is accepted',
    );
    demand(job.status === 'succeeded' || job.status === 'failed', 'a running job is considered ended');
    demand(job.charged === null || Number.isSafeInteger(job.charged), 'an amount is not a whole number');
    return 'accepted';
  },
};

function header(random: Random): string {
  if (random.happens(60)) return `Service-Signature: t=${NOW_MS / 1000},v1=${SIGNED}`;
  const name = random.happens(80)
    ? 'Service-Signature'
    : random.pick([
        'service-signature',
        'Other-Signature',
        'Service-Event',
        'Service-Delivery',
        '-signature',
        '__proto__',
      ]);
  const now = String(NOW_MS / 1000);
  const value = random.pick([
    `t=${now},v1=${SIGNED}`,
    `t=${now},v1=${'0'.repeat(64)},v1=${SIGNED}`,
    `t=${random.hostileInt(32)},v1=${SIGNED}`,
    `t=${now},t=1,v1=${SIGNED}`,
    `v1=${SIGNED}`,
    `${'a=b,'.repeat(random.count(2_000))}t=${now},v1=${SIGNED}`,
    `t=${now}${' '.repeat(random.count(4_000))},v1=${'f'.repeat(random.count(4_000))}`,
    ',='.repeat(random.count(2_000)),
  ]);
  return `${name}: ${value}`;
}

interface Headers {
  readonly [name: string]: readonly string[];
}

function read(input: Buffer): { headers: Headers; rawBody: Buffer } {
  const found = input.indexOf('\n\n');
  const end = found < 0 ? input.length : found;
  const rawBody = input.subarray(Math.min(input.length, end + 2));
  const headers: Record<string, string[]> = Object.create(null) as Record<string, string[]>;
  for (const line of input.subarray(0, end).toString('latin1').split('\n')) {
    const [name = '', ...value] = line.split(': ');
    (headers[name] ??= []).push(signed(value.join(': '), rawBody));
  }
  return { headers, rawBody };
}

/** Returns the header as a service that knows the secret writes it. */
function signed(value: string, rawBody: Buffer): string {
  const [, timestamp = ''] = /\bt=(\d+)/.exec(value) ?? [];
  return value.replaceAll(SIGNED, hmacHex(SECRETS[1] ?? '', `${timestamp}.`, rawBody));
}

function isGenuine(value: string, rawBody: Buffer): boolean {
  const times = [...value.matchAll(/t\s*=\s*(\d+)/g)].map(([, time = '']) => time);
  return times.some((time) =>
    SECRETS.some((secret) => value.toLowerCase().includes(hmacHex(secret, `${time}.`, rawBody))),
  );
}

function verify(headers: Headers, rawBody: Buffer): DeliveryVerdict {
  return verifyDelivery({
    headers,
    rawBody,
    secrets: ['', ...SECRETS],
    headerPrefix: 'Service',
    nowMs: NOW_MS,
  });
}
