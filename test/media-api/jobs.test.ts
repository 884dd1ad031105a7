import { expect, test } from 'vitest';
import { json, useClient, useStubApi } from './use-stub-api.ts';

const JOB = { id: 'j1', status: 'queued', output_url: null, charged_usd: null, error: null };
const SUBMIT = {
  capability: 'photo_swap',
  body: '{"image_key":"api/a","face_key":"api/b"}',
  idempotencyKey: 'intent-1',
} as const;

test('a submit sends the frozen body, the key and the bearer to the path of its capability', async () => {
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
