import { readFile, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ApiClient } from '../api-client.ts';
import { useDatabase } from '../use-database.ts';
import { useServer } from '../use-server.ts';

const PATHS = ['/balance', '/usage', '/jobs/job_x', '/no-such-route'];

test('missing, malformed, unknown and revoked keys get byte-identical refusals on every keyed path', async () => {
  const { server } = await useServer();
  const revoked = server.admin.createKey({ name: 'Revoked' });
  server.admin.revokeKey(revoked.id);
  const headers: Record<string, string>[] = [
    {},
    { authorization: 'Bearer' },
    { authorization: `Basic ${server.apiKey}` },
    { authorization: server.apiKey },
    { authorization: 'Bearer mk_unknown' },
    { authorization: `Bearer ${'x'.repeat(4_000)}` },
    { authorization: `Bearer ${revoked.text}` },
  ];
  const bodies = new Set<string>();
  for (const path of PATHS) {
    for (const variant of headers) {
      const answer = await new ApiClient(server.baseUrl).request(path, { headers: variant });
      expect([path, variant, answer.status]).toEqual([path, variant, 401]);
      bodies.add(answer.text);
    }
  }
  expect([...bodies]).toEqual(['{"error":{"code":"unauthorized","message":"A valid API key is required"}}']);
});

test('a revoked key stops working with the very next request, and other keys keep working', async () => {
  const { server, api } = await useServer();
  const { id, text } = server.admin.createKey({ name: 'Second' });
  const second = new ApiClient(server.baseUrl, text);
  expect((await second.get('/balance')).status).toBe(200);
  expect(server.admin.revokeKey(id)).toBe(true);
  expect((await second.get('/balance')).status).toBe(401);
  expect(server.admin.revokeKey(id)).toBe(false);
  expect((await api.get('/balance')).status).toBe(200);
});

test('the scheme is case-insensitive, as HTTP requires', async () => {
  const { server } = await useServer();
  const answer = await new ApiClient(server.baseUrl).request('/balance', {
    headers: { authorization: `bearer ${server.apiKey}` },
  });
  expect(answer.status).toBe(200);
});

test('no key is stored, only hashes; the embedded one is in a file for its owner only', async () => {
  const { server, dataDir } = await useServer();
  const { text } = server.admin.createKey({ name: 'Shown once' });
  expect(JSON.stringify(server.admin.listKeys())).not.toContain(text);
  for (const name of await readdir(dataDir)) {
    const path = join(dataDir, name);
    const info = await stat(path);
    if (!info.isFile()) continue;
    const content = await readFile(path, 'latin1');
    expect([name, content.includes(text)]).toEqual([name, false]);
    expect([name, content.includes(server.signingSecret)]).toEqual([name, false]);
    expect([name, content.includes(server.apiKey)]).toEqual([name, name === 'secrets.json']);
    if (name === 'secrets.json') expect(info.mode & 0o777).toBe(0o600);
  }
});

test('the embedded key and secret are found again at the next start, and configured ones take precedence', async () => {
  const first = await useServer();
  const { apiKey, signingSecret } = first.server;
  const second = await first.restart();
  expect(second.server).toMatchObject({ apiKey, signingSecret });
  const third = await second.restart({ apiKey: 'given-key-123', signingSecret: 'given-secret' });
  expect(third.server).toMatchObject({ apiKey: 'given-key-123', signingSecret: 'given-secret' });
  expect((await third.api.get('/balance')).json).toMatchObject({ balance_usd: 25, total_topped_up_usd: 25 });
});

test('health and readiness answer without a key', async () => {
  const { server } = await useServer();
  const root = new ApiClient(`http://127.0.0.1:${server.port}`);
  expect(await root.get('/healthz')).toMatchObject({ status: 200, json: { status: 'ok' } });
  expect(await root.get('/readyz')).toMatchObject({ status: 200, json: { status: 'ready' } });
});

test('a server whose database cannot be written is alive but not ready', async () => {
  const { server, dataDir } = await useServer();
  const root = new ApiClient(`http://127.0.0.1:${server.port}`);
  const database = useDatabase(dataDir);
  database.exec('BEGIN IMMEDIATE');
  for (let count = 0; count < 5; count++) {
    expect(await root.get('/readyz')).toMatchObject({ status: 503, json: { status: 'unavailable' } });
  }
  expect(await root.get('/healthz')).toMatchObject({ status: 200 });
  database.exec('ROLLBACK');
  expect(await root.get('/readyz')).toMatchObject({ status: 200 });
});
