import { describe, expect, test } from 'vitest';
import { ZERO, parseUsd } from '../../src/base/money.ts';
import { type Job, isTerminal } from '../../src/media-api/job.ts';
import { CAPABILITIES, SUBMIT_SEGMENT, type WireJob } from '../../src/media-api/wire.ts';
import { json, useClient, useStubApi } from './use-stub-api.ts';

const JOB = { id: 'j1', status: 'queued', output_url: null, charged_usd: null, error: null };
const SUBMIT = {
  capability: 'photo_swap',
  body: '{"image_key":"api/a","face_key":"api/b"}',
  idempotencyKey: 'intent-1',
} as const;

test('a submit sends the frozen body, the key and the bearer token to the path of its capability', async () => {
  const stub = await useStubApi(json(200, { id: 'j1', status: 'queued', status_url: '/api/v1/jobs/j1' }));
  const submitted = await useClient(stub).jobs.submit(SUBMIT);
  expect(submitted).toEqual({ id: 'j1', status: 'queued', statusUrl: '/api/v1/jobs/j1' });
  const [request] = stub.received;
  expect(request).toMatchObject({ method: 'POST', url: '/api/v1/face-swap-image' });
  expect(request?.headers).toMatchObject({
    authorization: 'Bearer key-of-the-test',
    'idempotency-key': 'intent-1',
    'content-type': 'application/json',
  });
  expect(request?.body.toString()).toBe(SUBMIT.body);
});

test('a job is read from its status URL, below the origin and not below the base path', async () => {
  const stub = await useStubApi(
    json(200, { ...JOB, status: 'succeeded', output_url: '/o', charged_usd: 0.1 }),
  );
  const job = await useClient(stub).jobs.get({ id: 'j1', statusUrl: '/api/v1/j2/j1' });
  expect(job).toEqual({ id: 'j1', status: 'succeeded', outputUrl: '/o', charged: 100_000, error: null });
  expect(stub.received[0]?.url).toBe('/api/v1/j2/j1');
});

test.each(CAPABILITIES.map((capability) => [capability, SUBMIT_SEGMENT[capability]]))(
  '%s is submitted to /%s',
  async (capability, segment) => {
    const stub = await useStubApi(json(200, { id: 'j1', status: 'queued', status_url: '/s' }));
    await useClient(stub).jobs.submit({ ...SUBMIT, capability });
    expect(stub.received[0]).toMatchObject({ method: 'POST', url: `/api/v1/${segment}` });
  },
);

test('a repeat that is answered with an ended job returns that job', async () => {
  const stub = await useStubApi(json(201, { id: 'j1', status: 'succeeded', status_url: '/s', more: 1 }));
  expect(await useClient(stub).jobs.submit(SUBMIT)).toEqual({
    id: 'j1',
    status: 'succeeded',
    statusUrl: '/s',
  });
});

test.each([
  ['a link', '{"image_key":"https://evil.example/x","face_key":"api/b"}'],
  ['another key', '{"image_key":"other/x","face_key":"api/b"}'],
  ['no text', '{"image_key":7,"face_key":"api/b"}'],
])('a body that holds %s instead of a key is rejected by the client', async (_name, body) => {
  const stub = await useStubApi();
  const call = useClient(stub).jobs.submit({ ...SUBMIT, body });
  await expect(call).rejects.toMatchObject({ code: 'invalid_input', local: true });
  expect(stub.arrivals()).toBe(0);
});

test.each(['', 'a'.repeat(256), 'with space', 'ümlaut', 'line\nfeed'])(
  'the idempotency key %j is a programming error',
  async (idempotencyKey) => {
    const stub = await useStubApi();
    await expect(useClient(stub).jobs.submit({ ...SUBMIT, idempotencyKey })).rejects.toThrow(TypeError);
  },
);

test.each([
  ['//evil.example/x'],
  ['https://evil.example/x'],
  ['/\\evil.example/x'],
  ['/\t/evil.example/x'],
  ['https://user:pw@127.0.0.1/x'],
  ['http://127.0.0.1:1/x'],
  ['file:///etc/passwd'],
  [null],
])('the status URL %j does not receive the key: the job is requested by its id', async (statusUrl) => {
  const stub = await useStubApi(json(200, JOB));
  await useClient(stub).jobs.get({ id: 'j/1 ü', statusUrl });
  expect(stub.received[0]?.url).toBe('/api/v1/jobs/j%2F1%20%C3%BC');
});

test('a status URL on the same origin is used unchanged', async () => {
  const stub = await useStubApi(json(200, JOB));
  await useClient(stub).jobs.get({ id: 'j1', statusUrl: `${stub.origin}/api/v1/jobs/j1?view=full` });
  expect(stub.received[0]?.url).toBe('/api/v1/jobs/j1?view=full');
});

test.each(['', '.', '..'])('the id %j cannot leave the path', async (id) => {
  const stub = await useStubApi();
  await expect(useClient(stub).jobs.get({ id, statusUrl: null })).rejects.toThrow(TypeError);
});

describe('a job is read', () => {
  test.each<readonly [string, Partial<WireJob>, Partial<Job>]>([
    ['running', { status: 'processing' }, { status: 'processing', charged: null }],
    ['in an unknown state as not ended', { status: 'paused' }, { status: 'unrecognized' }],
    [
      'with a charge of 0 as settled',
      { status: 'failed', charged_usd: 0 },
      { status: 'failed', charged: ZERO },
    ],
    ['without a charge as not settled', { status: 'succeeded' }, { charged: null, outputUrl: null }],
    ['failed without an error', { status: 'failed' }, { error: null }],
    [
      'failed without its error text',
      { status: 'failed', error: { code: 'brand_new', message: 'secret text' } },
      { error: { code: 'brand_new' } },
    ],
    [
      'succeeded, ignoring an error',
      { status: 'succeeded', error: { code: 'x', message: '' } },
      { error: null },
    ],
    ['running, ignoring a link', { status: 'queued', output_url: '/o' }, { outputUrl: null }],
    [
      'with a charge of single micro-dollars',
      { status: 'succeeded', charged_usd: 0.1 + 0.2 },
      { charged: parseUsd('0.3') },
    ],
  ])('%s', async (_name, wire, expected) => {
    const stub = await useStubApi(json(200, { ...JOB, ...wire, field_of_the_future: [] }));
    const job = await useClient(stub).jobs.get({ id: 'j1', statusUrl: null });
    expect(job).toMatchObject(expected);
    expect(isTerminal(job)).toBe(wire.status === 'succeeded' || wire.status === 'failed');
  });
});

test('missing fields are read like null', async () => {
  const stub = await useStubApi(json(200, { id: 'j1', status: 'queued' }));
  expect(await useClient(stub).jobs.get({ id: 'j1', statusUrl: null })).toEqual({
    id: 'j1',
    status: 'queued',
    outputUrl: null,
    charged: null,
    error: null,
  });
});
