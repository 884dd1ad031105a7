import { rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { HTTP_STATUS } from '../../../src/media-server/wire/api-error.ts';
import { parseUsd } from '../../../src/base/money.ts';
import { HTTP_ERROR_CODES, JOB_ERROR_CODES, USAGE_REASONS } from '../../../src/media-api/wire.ts';
import { type Answer, ApiClient } from '../api-client.ts';
import { picture } from '../test-engine.ts';
import { useDatabase } from '../use-database.ts';
import { useServer } from '../use-server.ts';

function expectError(answer: Answer, status: number, code: string): void {
  expect([answer.status, answer.json]).toEqual([
    status,
    { error: { code, message: expect.stringMatching(/./) } },
  ]);
  expect(answer.headers.get('content-type')).toContain('application/json');
}

test('the twelve codes and their statuses never change', () => {
  expect(HTTP_ERROR_CODES.map((code) => [HTTP_STATUS[code], code])).toEqual([
    [401, 'unauthorized'],
    [402, 'insufficient_balance'],
    [400, 'invalid_input'],
    [400, 'unsupported_format'],
    [400, 'input_too_large'],
    [400, 'capability_unavailable'],
    [404, 'not_found'],
    [429, 'rate_limited'],
    [429, 'at_capacity'],
    [502, 'capacity_unavailable'],
    [502, 'capacity_warming'],
    [500, 'internal_error'],
  ]);
});

test('job error codes and usage reasons never change', () => {
  expect([JOB_ERROR_CODES, USAGE_REASONS]).toEqual([
    ['face_not_detected', 'unsupported_format', 'input_too_large', 'content_rejected', 'processing_failed'],
    ['session_limit_reached', 'no_stream', 'render_failed', 'timed_out', 'cancelled'],
  ]);
});

test('unroutable and unreadable requests are refused in the envelope', async () => {
  const { api, server } = await useServer();
  const root = new ApiClient(`http://127.0.0.1:${server.port}`);
  const json = { 'content-type': 'application/json' };
  const cases: [string, () => Promise<Answer>, number, string][] = [
    ['unknown root path', () => root.get('/nothing'), 404, 'not_found'],
    ['unknown route', () => api.get('/nothing'), 404, 'not_found'],
    ['wrong method', () => api.request('/balance', { method: 'DELETE' }), 404, 'not_found'],
    ['GET of a submit', () => api.get('/face-swap-image'), 404, 'not_found'],
    ['malformed URL', () => api.get('/jobs/%zz'), 400, 'invalid_input'],
    ['overlong id', () => api.get(`/jobs/${'a'.repeat(5_000)}`), 404, 'not_found'],
    ['bad JSON', () => api.post('/face-swap-image', '{"image_key":'), 400, 'invalid_input'],
    [
      'empty body',
      () => api.request('/face-swap-image', { method: 'POST', headers: json }),
      400,
      'invalid_input',
    ],
    ['no body at all', () => api.request('/face-swap-image', { method: 'POST' }), 400, 'invalid_input'],
    ['JSON array', () => api.post('/face-swap-image', []), 400, 'invalid_input'],
    ['JSON null', () => api.post('/face-swap-image', 'null'), 400, 'invalid_input'],
    ['prototype poison', () => api.post('/face-swap-image', '{"__proto__":{"a":1}}'), 400, 'invalid_input'],
    [
      'too large',
      () => api.post('/face-swap-image', { image_key: 'a'.repeat(70_000) }),
      400,
      'invalid_input',
    ],
    [
      'wrong type',
      () => api.post('/face-swap-image', '<a/>', { 'content-type': 'text/xml' }),
      400,
      'invalid_input',
    ],
    ['upload as JSON', () => api.post('/uploads', {}), 400, 'invalid_input'],
  ];
  for (const [name, ask, status, code] of cases) {
    const settled = await ask();
    expect([name, settled.status]).toEqual([name, status]);
    expectError(settled, status, code);
  }
});

test('bytes that are not HTTP, and endless headers, get the envelope too', async () => {
  const { server } = await useServer();
  const garbage = await speak(server.port, 'NOT HTTP AT ALL\r\n\r\n');
  const flood = await speak(server.port, `GET / HTTP/1.1\r\nhost: x\r\nx: ${'a'.repeat(20_000)}\r\n\r\n`);
  for (const answer of [garbage, flood]) {
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(JSON.parse(answer.split('\r\n\r\n')[1] ?? '')).toMatchObject({ error: { code: 'invalid_input' } });
  }
});

test('each submit refusal has its own status and code, and none leaves a job or a hold', async () => {
  const { api, server, dataDir, engine } = await useServer({ openingBalance: parseUsd('0.06') });
  const database = useDatabase(dataDir);
  const body = await api.photoSwapBody();
  engine.pause();
  server.admin.switchCapability('photo_swap', false);
  expectError(await api.post('/face-swap-image', body), 400, 'capability_unavailable');
  server.admin.switchCapability('photo_swap', true);
  server.admin.setCeiling(1);
  await api.submit(body);
  expectError(await api.post('/face-swap-image', body), 429, 'at_capacity');
  server.admin.setCeiling(2);
  expectError(await api.post('/face-swap-image', body), 402, 'insufficient_balance');
  expectError(await api.post('/face-swap-image', { ...body, face_key: 'x' }), 400, 'invalid_input');
  expectError(await api.upload(Buffer.from('%PDF'), 'application/pdf', 'a.pdf'), 400, 'unsupported_format');
  expect([database.count('jobs'), database.count('entries')]).toEqual([1, 2]);
  engine.release();
});

test('missing and foreign jobs are the same 404, byte for byte', async () => {
  const { api, server } = await useServer();
  const stranger = server.admin.createKey({ name: 'Stranger', accountId: server.admin.createAccount('B') });
  const { id } = await api.submit(await api.photoSwapBody());
  const foreign = await new ApiClient(server.baseUrl, stranger.text).get(`/jobs/${id}`);
  const missing = await api.get('/jobs/job_doesnotexist');
  expectError(foreign, 404, 'not_found');
  expect(missing.text).toBe(foreign.text);
});

test.each(['jobs', 'jobInputs', 'entries', 'idempotencyKeys'])(
  'a fault while writing %s is a 500 that bills nothing and uses up no idempotency key',
  async (table) => {
    const { api, dataDir } = await useServer();
    const database = useDatabase(dataDir);
    const body = await api.photoSwapBody();
    const before = (await api.get('/balance')).text;
    database.exec(
      `CREATE TRIGGER fault BEFORE INSERT ON ${table} BEGIN SELECT RAISE(ABORT, 'disk fault'); END`,
    );
    const failed = await api.post('/face-swap-image', body, { 'idempotency-key': 'again' });
    expectError(failed, 500, 'internal_error');
    expect(failed.text).not.toContain('fault');
    expect((await api.get('/balance')).text).toBe(before);
    database.exec('DROP TRIGGER fault');
    const { id } = await api.submit(body, { 'idempotency-key': 'again' });
    expect((await api.ended(id)).status).toBe('succeeded');
  },
);

test('an upload that cannot be written is a 500', async () => {
  const { api, dataDir } = await useServer();
  await rm(join(dataDir, 'parts'), { recursive: true });
  expectError(await api.upload(await picture(1)), 500, 'internal_error');
});

function speak(port: number, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(text));
    let answer = '';
    socket.on('data', (chunk) => (answer += chunk.toString()));
    socket.on('close', () => resolve(answer)).on('error', reject);
  });
}
