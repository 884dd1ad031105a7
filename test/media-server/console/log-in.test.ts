import { expect, test } from 'vitest';
import { FakeClock } from '../../helpers/fake-clock.ts';
import { openMediaAdmin } from '../../../src/media-server/open-media-admin.ts';
import { useDatabase } from '../use-database.ts';
import { useServer } from '../use-server.ts';
import { ConsoleClient, type ConsoleReply, askRaw } from './console-client.ts';
import { useConsole } from './use-console.ts';

const SIGNED_IN = { signedIn: true, isFull: false };
const SIGNED_OUT = { signedIn: false, isFull: false };

test('the password is created once, stored only as a hash, and opens the console', async () => {
  const { server, client, password, dataDir } = await useConsole();
  expect(password).toMatch(/^[a-z2-7]{5}(-[a-z2-7]{5}){3}$/);
  expect(server.admin.firstConsolePassword()).toBeUndefined();
  const [row] = useDatabase(dataDir).all<Record<string, unknown>>('SELECT * FROM consolePassword');
  expect(Object.keys(row ?? {})).toEqual(['only', 'salt', 'hash']);
  expect(JSON.stringify(row)).not.toContain(password);
  expect((await client.ask('GET', 'session')).json).toEqual(SIGNED_IN);
});

test('nobody is admitted before there is a password, and the refusal explains how to create one', async () => {
  const { server } = await useServer();
  const reply = await new ConsoleClient(server.consoleUrl).logIn('anything');
  expect(reply.status).toBe(400);
  expect(reply.text).toContain('npm run console -- password');
});

test('without a log-in everything except the page itself is refused', async () => {
  const { server } = await useServer();
  const client = new ConsoleClient(server.consoleUrl);
  expect((await askRaw(client.url)).status).toBe(200);
  expect((await client.ask('GET', 'session')).json).toEqual(SIGNED_OUT);
  for (const [method, path] of [
    ['GET', 'events'],
    ['GET', 'lists/keys?offset=0'],
    ['GET', 'balance?account=acc'],
    ['POST', 'verbs'],
    ['DELETE', 'session'],
  ] as const) {
    const reply = await client.ask(method, path, method === 'POST' ? { verb: 'show_secret' } : undefined);
    expect([path, reply.status]).toEqual([path, 401]);
  }
});

test('the cookie is not accessible to scripts and other sites, and expires', async () => {
  const clock = new FakeClock();
  const { client, server, password } = await useConsole({ clock });
  const cookie = String((await client.logIn(password)).headers['set-cookie']);
  expect(cookie).toMatch(
    /^console_\d+=in_[a-z2-7]{32}; Path=\/console\/; HttpOnly; SameSite=Strict; Max-Age=28800$/,
  );
  expect(cookie).toContain(`console_${server.port}=`);
  await clock.advance(28_799_000);
  expect((await client.ask('GET', 'session')).json).toEqual(SIGNED_IN);
  await clock.advance(1_000);
  expect((await client.ask('GET', 'session')).json).toEqual(SIGNED_OUT);
});

interface Elsewhere {
  readonly logIn: (password: string, forwardedFor: string) => Promise<ConsoleReply>;
  readonly atHome: (password: string) => Promise<ConsoleReply>;
  readonly password: string;
  readonly clock: FakeClock;
}

/** Creates a console behind a proxy on this machine; the proxy serves callers from elsewhere. */
async function useProxied(): Promise<Elsewhere> {
  const clock = new FakeClock();
  const origin = 'https://media.example.com';
  const { server } = await useServer({ clock, consoleOrigins: [origin] });
  const url = `${String(server.consoleUrl)}api/session`;
  const logIn: Elsewhere['logIn'] = (password, forwardedFor) => {
    const headers = { host: 'media.example.com', origin, 'x-forwarded-for': forwardedFor };
    return askRaw(url, { method: 'POST', body: { password }, headers });
  };
  const atHome = (password: string): Promise<ConsoleReply> =>
    new ConsoleClient(server.consoleUrl).logIn(password);
  return { logIn, atHome, clock, password: String(server.admin.firstConsolePassword()) };
}

test('wrong passwords from elsewhere delay only that caller, and never the operator on the machine', async () => {
  const { logIn, atHome, password, clock } = await useProxied();
  const tries = async (from: string, count: number): Promise<number[]> => {
    const statuses: number[] = [];
    for (let time = 0; time < count; time++) statuses.push((await logIn('wrong', from)).status);
    return statuses;
  };
  expect(await tries('203.0.113.7', 7)).toEqual([401, 401, 401, 401, 401, 429, 429]);
  // Only the last forwarded address comes from the proxy. The caller may invent the others, so they must not count.
  expect((await logIn(password, '198.51.100.1, 203.0.113.7')).status).toBe(429);
  expect(await tries('2a00:1450:4001:81b::1', 5)).not.toContain(429);
  expect((await logIn(password, '2a00:1450:4001:81b::2')).status).toBe(429);

  expect((await logIn(password, '8.8.8.8')).status).toBe(204);
  expect((await atHome(password)).status).toBe(204);
  await clock.advance(60_000);
  expect((await logIn(password, '203.0.113.7')).status).toBe(204);
});

test('many attempts from many addresses are cheap, and the operator on the machine can still log in', async () => {
  const { logIn, atHome, password } = await useProxied();
  const storm = Promise.all(
    Array.from({ length: 200 }, (_none, index) =>
      logIn('wrong', `8.8.${index}.8`).then(({ status }) => status),
    ),
  );
  expect((await atHome(password)).status).toBe(204);
  const statuses = await storm;
  expect(new Set(statuses)).toEqual(new Set([401, 429]));
  expect(statuses.filter((status) => status === 429).length).toBeGreaterThan(100);
});

test('a caller that tries from many networks does not lock out an operator elsewhere', async () => {
  const { logIn, password } = await useProxied();
  const networks = Array.from({ length: 256 }, (_none, index) => `2001:db8:7:${index.toString(16)}::1`);
  const storm = Promise.all(networks.map((from) => logIn('wrong', from).then(({ status }) => status)));
  expect((await logIn(password, '203.0.113.7')).status).toBe(204);
  const statuses = await storm;
  expect(statuses.filter((status) => status === 401).length).toBeLessThan(150);
  expect((await logIn(password, '2001:db8:8::1')).status).toBe(204);
});

test('five wrong passwords on the machine within a minute delay callers there, also with the correct one', async () => {
  const clock = new FakeClock();
  const { client, password } = await useConsole({ clock });
  const wrong = await Promise.all(Array.from({ length: 7 }, () => client.logIn('wrong')));
  expect(wrong.filter(({ status }) => status === 401)).toHaveLength(5);
  expect(wrong.filter(({ status }) => status === 429)).toHaveLength(2);
  const limited = await client.logIn(password);
  expect(limited.status).toBe(429);
  expect(limited.headers['retry-after']).toBe('60');
  expect(limited.text).toContain('wait 60 seconds');
  await clock.advance(60_000);
  expect((await client.logIn(password)).status).toBe(204);
});

test('the password is also accepted in capitals and with surrounding blanks', async () => {
  const { client, password } = await useConsole();
  expect((await client.logIn(` ${password.toUpperCase()} `)).status).toBe(204);
});

test('a log-out ends this log-in and its live page, and no other', async () => {
  const { client, server, password } = await useConsole();
  const other = new ConsoleClient(server.consoleUrl);
  await other.logIn(password);
  const changes = client.changes(AbortSignal.timeout(10_000));
  await changes.next();
  const reply = await client.ask('DELETE', 'session');
  expect(reply.status).toBe(204);
  expect(String(reply.headers['set-cookie'])).toContain(
    '=; Path=/console/; HttpOnly; SameSite=Strict; Max-Age=0',
  );
  expect((await changes.next()).done).toBe(true);
  expect((await client.ask('GET', 'session')).json).toEqual(SIGNED_OUT);
  expect((await other.ask('GET', 'session')).json).toEqual(SIGNED_IN);
});

test('a new password that is created beside the running server ends every log-in', async () => {
  const { client, password, dataDir } = await useConsole();
  using opened = await openMediaAdmin({ dataDir });
  const changes = client.changes(AbortSignal.timeout(10_000));
  await changes.next();
  const next = opened.admin.newConsolePassword();
  expect((await changes.next()).done).toBe(true);
  expect((await client.ask('GET', 'session')).json).toEqual(SIGNED_OUT);
  expect((await client.logIn(password)).status).toBe(401);
  expect((await client.logIn(next)).status).toBe(204);
});

test('a new password that is created on the page keeps only the log-in that created it', async () => {
  const { client, server, password } = await useConsole();
  const other = new ConsoleClient(server.consoleUrl);
  await other.logIn(password);
  const { secret = '' } = await client.execute({ verb: 'new_password' });
  expect(secret).toMatch(/^[a-z2-7]{5}(-[a-z2-7]{5}){3}$/);
  expect((await client.ask('GET', 'session')).json).toEqual(SIGNED_IN);
  expect((await other.ask('GET', 'session')).json).toEqual(SIGNED_OUT);
  expect((await other.logIn(password)).status).toBe(401);
  expect((await other.logIn(secret)).status).toBe(204);
});

test('another log-in ends the previous log-in of the same browser', async () => {
  const { client, password } = await useConsole();
  const before = client.cookie;
  await client.logIn(password);
  expect(client.cookie).not.toBe(before);
  expect((await client.ask('GET', 'session')).json).toEqual(SIGNED_IN);
  client.cookie = before;
  expect((await client.ask('GET', 'session')).json).toEqual(SIGNED_OUT);
});

test('the seventeenth log-in ends the oldest', async () => {
  const { client, server, password } = await useConsole();
  const others = Array.from({ length: 16 }, () => new ConsoleClient(server.consoleUrl));
  for (const other of others) await other.logIn(password);
  expect((await client.ask('GET', 'session')).json).toEqual(SIGNED_OUT);
  expect((await others[0]?.ask('GET', 'session'))?.json).toEqual(SIGNED_IN);
});
