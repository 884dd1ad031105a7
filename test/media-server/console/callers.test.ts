import { expect, test } from 'vitest';
import { useServer } from '../use-server.ts';
import { askRaw } from './console-client.ts';
import { useConsole } from './use-console.ts';

const TOP_UP = { verb: 'create_account', name: 'Club' };

test.each([
  ['another origin', { origin: 'http://evil.example' }],
  ['another port of this machine', { origin: 'http://127.0.0.1:1' }],
  ['no origin', { origin: '' }],
  ['a frame without an origin', { origin: 'null' }],
  ['another site, according to the browser', { 'sec-fetch-site': 'cross-site' }],
  ['another port, according to the browser', { 'sec-fetch-site': 'same-site' }],
])('a verb from %s is refused although its cookie is valid', async (_name, headers) => {
  const { client, server } = await useConsole();
  const reply = await client.ask('POST', 'verbs', TOP_UP, headers);
  expect(reply.status).toBe(403);
  expect(reply.json).toMatchObject({ error: { code: 'forbidden' } });
  expect(server.admin.listAccounts()).toHaveLength(1);
});

test('a form of another page cannot log anyone in, and only JSON can do anything', async () => {
  const { client, password } = await useConsole();
  const logIn = await client.ask('POST', 'session', { password }, { origin: 'http://evil.example' });
  expect([logIn.status, logIn.headers['set-cookie']]).toEqual([403, undefined]);
  const form = await client.ask('POST', 'verbs', TOP_UP, { 'content-type': 'text/plain' });
  expect(form.status).toBe(400);
});

test.each([
  ['a name that was made to resolve to this machine', { host: 'evil.example' }],
  ['a similar name', { host: 'localhost.evil.example' }],
  ['a proxy', { 'x-forwarded-for': '203.0.113.7' }],
])('callers by %s get no console at all', async (_name, headers) => {
  const { client } = await useConsole();
  for (const path of ['', 'api/session', 'api/lists/keys?offset=0', 'assets/index.js']) {
    const reply = await askRaw(`${client.url}${path}`, { headers: { cookie: client.cookie, ...headers } });
    expect([path, reply.status, reply.json]).toEqual([
      path,
      404,
      expect.objectContaining({ error: expect.anything() }),
    ]);
    expect(reply.text).toContain('not_found');
  }
});

test('with a configured origin, callers from other machines are admitted, with a cookie for https only', async () => {
  const { server } = await useServer({ consoleOrigins: ['https://media.example.com'] });
  const password = server.admin.firstConsolePassword();
  const asked = (origin: string, host = 'media.example.com') =>
    askRaw(`${String(server.consoleUrl)}api/session`, {
      method: 'POST',
      body: { password },
      headers: { host, origin, 'x-forwarded-for': '203.0.113.7' },
    });
  const reply = await asked('https://media.example.com');
  expect(reply.status).toBe(204);
  expect(String(reply.headers['set-cookie'])).toMatch(
    /^console_0=.*HttpOnly; SameSite=Strict; Max-Age=\d+; Secure$/,
  );
  expect((await asked('http://media.example.com')).status).toBe(403);
  expect((await asked('https://other.example.com', 'other.example.com')).status).toBe(404);
});

test('the name of a cookie contains the port, because browsers share cookies between ports', async () => {
  const { client, password } = await useConsole();
  const [host, origin] = ['localhost:8443', 'http://localhost:8443'];
  const reply = await client.ask('POST', 'session', { password }, { host, origin, cookie: '' });
  expect(String(reply.headers['set-cookie'])).toMatch(/^console_8443=in_/);
});

test('the page has a strict policy, is never cached, and the files that it loads exist', async () => {
  const { server } = await useServer();
  const url = String(server.consoleUrl);
  const page = await askRaw(url);
  expect(page.headers['content-security-policy']).toMatch(
    /^default-src 'none'; script-src 'self'; style-src 'self'/,
  );
  expect(page.headers['content-security-policy']).toContain("frame-ancestors 'none'");
  expect(page.headers['content-security-policy']).not.toContain('unsafe');
  expect(page.headers['cache-control']).toBe('no-store');
  const paths = [...page.text.matchAll(/(?:src|href)="(\/console\/assets\/[^"]+)"/g)].map(([, path]) => path);
  expect(paths.length).toBeGreaterThan(1);
  for (const path of paths) expect((await askRaw(new URL(path ?? '', url).href)).status).toBe(200);
  const redirect = await askRaw(url.replace(/\/$/, ''));
  expect([redirect.status, redirect.headers['location']]).toEqual([302, '/console/']);
});
