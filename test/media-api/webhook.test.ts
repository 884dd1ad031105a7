import { createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { signTestDelivery } from '../../src/media-api/sign-test-delivery.ts';
import { type DeliveryCheck, verifyDelivery } from '../../src/media-api/verify-delivery.ts';
import type { WireJob } from '../../src/media-api/wire.ts';

const NOW_MS = Date.UTC(2026, 5, 1, 12);
const NOW = NOW_MS / 1000;
const SECRET = 'whsec_of_the_account';
const JOB: WireJob = {
  id: 'j1',
  status: 'succeeded',
  output_url: 'https://files.example/o?sig=1',
  charged_usd: 0.05,
  error: null,
};
const DELIVERY = { event: 'job.succeeded', sent_at: '2026-06-01T12:00:00Z', delivery_id: 'd1', data: JOB };
const BODY = Buffer.from(JSON.stringify(DELIVERY));

/** Computes the signature in a different way from the code under test. */
function hex(secret: string, t: number | string, body: Uint8Array): string {
  return createHmac('sha256', secret)
    .update(Buffer.concat([Buffer.from(`${t}.`), body]))
    .digest('hex');
}

function signed(
  body: Uint8Array | string,
  t: number | string = NOW,
  secret = SECRET,
): Partial<DeliveryCheck> {
  const rawBody = Buffer.from(body);
  return { rawBody, headers: { 'service-signature': `t=${t},v1=${hex(secret, t, rawBody)}` } };
}

function verify(check: Partial<DeliveryCheck>): ReturnType<typeof verifyDelivery> {
  return verifyDelivery({
    ...signed(BODY),
    secrets: [SECRET],
    headerPrefix: 'Service',
    nowMs: NOW_MS,
    ...check,
  } as DeliveryCheck);
}

/** Returns `accepted`, or the reason for the refusal. */
function outcome(check: Partial<DeliveryCheck>): string {
  const verdict = verify(check);
  return verdict.ok ? 'accepted' : verdict.reason;
}

test('a delivery of the service is accepted and read like an answer of the job endpoint', () => {
  expect(verify({})).toEqual({
    ok: true,
    delivery: {
      deliveryId: 'd1',
      event: 'job.succeeded',
      sentAt: DELIVERY.sent_at,
      headersDiffer: false,
      job: { id: 'j1', status: 'succeeded', outputUrl: JOB.output_url, charged: 50_000, error: null },
    },
  });
});

const V1 = hex(SECRET, NOW, BODY);
const WRONG = '0'.repeat(64);

describe('the header', () => {
  test.each([
    ['as documented', `t=${NOW},v1=${V1}`, 'accepted'],
    ['with spaces around its parts', `  t = ${NOW} , v1 = ${V1} `, 'accepted'],
    ['with v1 first', `v1=${V1},t=${NOW}`, 'accepted'],
    ['with two v1, the first correct', `t=${NOW},v1=${V1},v1=${WRONG}`, 'accepted'],
    ['with two v1, the last correct', `t=${NOW},v1=${WRONG},v1=${V1}`, 'accepted'],
    ['with an additional unknown scheme', `t=${NOW},v0=abc,v1=${V1},v2=+/`, 'accepted'],
    ['in upper-case hex', `t=${NOW},v1=${V1.toUpperCase()}`, 'accepted'],
    ['with a wrong v1', `t=${NOW},v1=${WRONG}`, 'mismatch'],
    ['with v1 one digit short', `t=${NOW},v1=${V1.slice(1)}`, 'mismatch'],
    ['with v1 one digit long', `t=${NOW},v1=${V1}0`, 'mismatch'],
    ['with v1 of 128 digits', `t=${NOW},v1=${V1}${V1}`, 'mismatch'],
    ['with v1 that is not hex', `t=${NOW},v1=${'z'.repeat(64)}`, 'mismatch'],
    ['with an empty v1', `t=${NOW},v1=`, 'mismatch'],
    ['with a t that was not signed', `t=${NOW - 1},v1=${V1}`, 'mismatch'],
    ['with t in another form than signed', `t=0${NOW},v1=${V1}`, 'mismatch'],
    ['without t', `v1=${V1}`, 'malformed_header'],
    ['without v1', `t=${NOW}`, 'malformed_header'],
    ['with only another scheme', `t=${NOW},v2=${V1}`, 'malformed_header'],
    ['with two t', `t=${NOW},t=${NOW},v1=${V1}`, 'malformed_header'],
    ['given twice and joined', `t=${NOW},v1=${V1}, t=${NOW},v1=${V1}`, 'malformed_header'],
    ['with a negative t', `t=-${NOW},v1=${V1}`, 'malformed_header'],
    ['with a fraction in t', `t=${NOW}.5,v1=${V1}`, 'malformed_header'],
    ['with hexadecimal t', `t=0x6840,v1=${V1}`, 'malformed_header'],
    ['with an exponent in t', `t=1e9,v1=${V1}`, 'malformed_header'],
    ['with an empty t', `t=,v1=${V1}`, 'malformed_header'],
    ['with t of 13 digits', `t=${NOW}000,v1=${V1}`, 'malformed_header'],
    ['with upper-case T', `T=${NOW},v1=${V1}`, 'malformed_header'],
    ['with upper-case V1', `t=${NOW},V1=${V1}`, 'malformed_header'],
    ['with a trailing comma', `t=${NOW},v1=${V1},`, 'malformed_header'],
    ['with semicolons', `t=${NOW};v1=${V1}`, 'malformed_header'],
    ['with a part that has no value', `t=${NOW},v1=${V1},x`, 'malformed_header'],
    ['with a space inside a value', `t=${NOW},v1=${V1.slice(0, 10)} ${V1.slice(10)}`, 'malformed_header'],
    ['with 17 signatures', `t=${NOW},${`v1=${WRONG},`.repeat(16)}v1=${V1}`, 'malformed_header'],
    ['of 5,000 characters', `t=${NOW},v1=${V1},x=${'a'.repeat(5000)}`, 'malformed_header'],
    ['empty', '', 'malformed_header'],
  ])('%s', (_name, header, expected) => {
    expect(outcome({ headers: { 'service-signature': header } })).toBe(expected);
  });

  const good = `t=${NOW},v1=${V1}`;
  test.each([
    ['absent', {}, 'Service', 'missing_header'],
    ['undefined', { 'service-signature': undefined }, 'Service', 'missing_header'],
    ['in another case', { 'SERVICE-SIGNATURE': good }, 'Service', 'accepted'],
    ['an array of one', { 'service-signature': [good] }, 'Service', 'accepted'],
    ['an array of two', { 'service-signature': [good, good] }, 'Service', 'malformed_header'],
    [
      'given in two cases',
      { 'service-signature': good, 'Service-Signature': good },
      'Service',
      'malformed_header',
    ],
    ['of another service, which is the only one', { 'acme-signature': good }, 'Service', 'accepted'],
    ['found without a name', { 'x-acme-signature': good }, null, 'accepted'],
    [
      'found beside one of another form',
      { 'acme-signature': good, 'x-signature': 'sha256=ab' },
      null,
      'accepted',
    ],
    ['two candidates', { 'acme-signature': good, 'other-signature': good }, null, 'malformed_header'],
    [
      'the named one broken, another fine',
      { 'service-signature': 'x', 'a-signature': good },
      'Service',
      'malformed_header',
    ],
  ])('%s', (_name, headers, headerPrefix, expected) => {
    expect(outcome({ headers, headerPrefix })).toBe(expected);
  });

  test.each(['Service', 'Acme', 'X-Media-Api'])('the prefix may be %s', (headerPrefix) => {
    const delivery = signTestDelivery(JOB, { secret: SECRET, nowMs: NOW_MS, headerPrefix });
    expect(outcome({ ...delivery, headerPrefix })).toBe('accepted');
  });
});

describe('the secret', () => {
  test.each([
    ['none', [], 'no_secret'],
    ['an empty one', [''], 'no_secret'],
    ['an empty one beside the correct one', ['', SECRET], 'accepted'],
    ['a wrong one', ['other'], 'mismatch'],
    ['the old and the new one', ['old', SECRET], 'accepted'],
    ['one with a space added', [`${SECRET} `], 'mismatch'],
  ])('%s', (_name, secrets, expected) => {
    expect(outcome({ secrets })).toBe(expected);
  });

  test('a signature made with the empty secret is never valid', () => {
    expect(outcome({ ...signed(BODY, NOW, ''), secrets: [''] })).toBe('no_secret');
  });
});

describe('the time', () => {
  test.each([
    [-301, 'stale'],
    [-300, 'accepted'],
    [-299, 'accepted'],
    [0, 'accepted'],
    [299, 'accepted'],
    [300, 'accepted'],
    [301, 'stale'],
  ])('%i s from now', (offset, expected) => {
    expect(outcome(signed(BODY, NOW + offset))).toBe(expected);
  });

  test('an authentic but stale delivery reports the job whose state must be requested', () => {
    expect(verify(signed(BODY, NOW - 540))).toEqual({ ok: false, reason: 'stale', authenticJobId: 'j1' });
  });

  test('a stale delivery that is not authentic reports nothing', () => {
    expect(verify(signed(BODY, NOW - 540, 'wrong'))).toEqual({ ok: false, reason: 'mismatch' });
  });
});

describe('the body', () => {
  const text = BODY.toString();
  test.each([
    ['one byte changed', Buffer.from(text.replace('j1', 'j2'))],
    ['a space added', Buffer.from(`${text} `)],
    ['a byte order mark added', Buffer.from(`\ufeff${text}`)],
    ['an empty body', Buffer.alloc(0)],
  ])('%s: mismatch', (_name, rawBody) => {
    expect(outcome({ rawBody })).toBe('mismatch');
  });

  test.each([
    ['with a byte order mark', `\ufeff${text}`, 'accepted'],
    ['with line breaks', JSON.stringify(DELIVERY, null, 2).replaceAll('\n', '\r\n'), 'accepted'],
    ['with escapes', text.replace('j1', '\\u006a1'), 'accepted'],
    [
      'with unknown fields',
      JSON.stringify({ ...DELIVERY, more: [1], data: { ...JOB, more: 1 } }),
      'accepted',
    ],
    ['with a duplicate name', text.replace('"event"', '"event":"job.failed","event"'), 'accepted'],
    ['empty', '', 'malformed_body'],
    ['no JSON', 'event=job.succeeded', 'malformed_body'],
    ['an array', '[]', 'malformed_body'],
    ['null', 'null', 'malformed_body'],
    ['without delivery id', JSON.stringify({ ...DELIVERY, delivery_id: undefined }), 'malformed_body'],
    ['without data', JSON.stringify({ ...DELIVERY, data: undefined }), 'malformed_body'],
    [
      'with an amount as text',
      JSON.stringify({ ...DELIVERY, data: { ...JOB, charged_usd: '5' } }),
      'malformed_body',
    ],
    ['with an amount that is too large', text.replace('0.05', '1e90'), 'malformed_body'],
    ['of another event', JSON.stringify({ ...DELIVERY, event: 'job.paused' }), 'inconsistent'],
    [
      'of an event named like a property of objects',
      JSON.stringify({ ...DELIVERY, event: 'toString' }),
      'inconsistent',
    ],
    [
      'with an event that contradicts its status',
      JSON.stringify({ ...DELIVERY, event: 'job.failed' }),
      'inconsistent',
    ],
    [
      'of a running job',
      JSON.stringify({ ...DELIVERY, data: { ...JOB, status: 'processing' } }),
      'inconsistent',
    ],
    [
      'of an unknown status',
      JSON.stringify({ ...DELIVERY, data: { ...JOB, status: 'paused' } }),
      'inconsistent',
    ],
  ])('%s, signed', (_name, body, expected) => {
    expect(outcome(signed(body))).toBe(expected);
  });

  test('bytes that are not UTF-8 are authentic and unreadable', () => {
    const body = Buffer.concat([BODY.subarray(0, -1), Buffer.from([0xff, 0xfe])]);
    expect(verify(signed(body))).toEqual({ ok: false, reason: 'malformed_body' });
  });

  test('an authentic body that cannot be used still names its job', () => {
    const body = JSON.stringify({ ...DELIVERY, event: 'job.failed' });
    expect(verify(signed(body))).toMatchObject({ reason: 'inconsistent', authenticJobId: 'j1' });
    expect(verify(signed('{"data":{"id":"j7"}}'))).toMatchObject({ authenticJobId: 'j7' });
  });

  test('a failed job has its code and no output, and a missing charge is "not yet"', () => {
    const data = { id: 'j1', status: 'failed', error: { code: 'face_not_detected', message: 'x' } };
    const verdict = verify(signed(JSON.stringify({ ...DELIVERY, event: 'job.failed', data })));
    expect(verdict).toMatchObject({
      ok: true,
      delivery: { job: { outputUrl: null, charged: null, error: { code: 'face_not_detected' } } },
    });
  });
});

test('forged event and delivery headers change nothing but a note', () => {
  const headers = { ...signed(BODY).headers, 'service-event': 'job.failed', 'service-delivery': 'd9' };
  expect(verify({ headers })).toMatchObject({
    ok: true,
    delivery: { event: 'job.succeeded', deliveryId: 'd1', headersDiffer: true },
  });
});

test('the helper for tests creates the same signature as the service', () => {
  const delivery = signTestDelivery({ ...JOB, status: 'failed' }, { secret: SECRET, nowMs: NOW_MS });
  expect(delivery.headers).toMatchObject({
    'Service-Signature': `t=${NOW},v1=${hex(SECRET, NOW, delivery.rawBody)}`,
    'Service-Event': 'job.failed',
    'Service-Delivery': 'delivery-of-j1',
  });
  expect(outcome(delivery)).toBe('accepted');
});
