import { expect, test, vi } from 'vitest';
import { FakeClock } from '../../helpers/fake-clock.ts';
import {
  type CallbackPolicy,
  checkCallbackUrl,
  isAllowedAddress,
} from '../../../src/media-server/webhooks/callback-policy.ts';
import { useReceiver } from '../use-receiver.ts';
import { useServer } from '../use-server.ts';

test.each([
  ['https://example.com/hook', true, true],
  ['http://93.184.216.34:8080/a?b=c', true, true],
  ['https://[2606:2800:220:1:248:1893:25c8:1946]/', true, true],
  ['http://127.0.0.1:3000/hook', false, true],
  ['http://localhost:3000/hook', false, true],
  ['http://bot.localhost/hook', false, true],
  ['http://[::1]:3000/hook', false, true],
  ['http://2130706433/', false, true],
  ['http://0x7f.1/', false, true],
  ['http://[::ffff:127.0.0.1]/', false, true],
  ['http://0.0.0.0/', false, false],
  ['http://10.0.0.1/', false, false],
  ['http://100.64.0.1/', false, false],
  ['http://169.254.169.254/', false, false],
  ['http://172.16.0.1/', false, false],
  ['http://172.31.255.255/', false, false],
  ['http://192.168.1.1/', false, false],
  ['http://198.18.0.1/', false, false],
  ['http://224.0.0.1/', false, false],
  ['http://255.255.255.255/', false, false],
  ['http://167772161/', false, false],
  ['http://[::]/', false, false],
  ['http://[fc00::1]/', false, false],
  ['http://[fe80::1]/', false, false],
  ['http://[::ffff:10.0.0.1]/', false, false],
  ['http://[64:ff9b::a00:1]/', false, false],
  ['http://[2002:a00:1::]/', false, false],
  ['http://[2001:db8::1]/', false, false],
  ['http://intranet/', false, false],
  ['http://printer.local/', false, false],
  ['http://metadata.google.internal/', false, false],
  ['http://user:pass@example.com/', false, false],
  ['http://example.com:0/', false, false],
  ['ftp://example.com/', false, false],
  ['file:///etc/passwd', false, false],
  ['javascript:alert(1)', false, false],
  ['//example.com/hook', false, false],
  ['', false, false],
  [`https://example.com/${'a'.repeat(2_100)}`, false, false],
])('%s: allowed publicly %s, embedded %s', (url, publicly, embedded) => {
  const allowed = (policy: CallbackPolicy): boolean => checkCallbackUrl(url, policy) === undefined;
  expect([allowed('public'), allowed('public-and-loopback')]).toEqual([publicly, embedded]);
});

test('a public name that resolves to loopback is refused even where loopback is allowed', () => {
  expect(isAllowedAddress('127.0.0.1', 'rebind.example.com', 'public-and-loopback')).toBe(false);
  expect(isAllowedAddress('::1', 'rebind.example.com', 'public-and-loopback')).toBe(false);
  expect(isAllowedAddress('127.0.0.1', 'hook.localhost', 'public-and-loopback')).toBe(true);
});

test('a name is resolved again at each attempt, and the connection uses exactly the checked address', async () => {
  const clock = new FakeClock();
  const receiver = await useReceiver((response) =>
    response.writeHead(receiver.received.length > 1 ? 204 : 500).end(),
  );
  const answers = ['127.0.0.1', '10.0.0.5', '127.0.0.1'];
  const asked: string[] = [];
  const { api, server, engine } = await useServer({
    clock,
    async resolve(host) {
      asked.push(host);
      return [{ address: answers[asked.length - 1] ?? '', family: 4 }];
    },
  });
  engine.pause();
  const callback_url = `http://no-such-name.localhost:${receiver.port}/hook`;
  const { id } = await api.submit({ ...(await api.photoSwapBody()), callback_url });
  server.admin.cancelJob(id);
  const outcome = (attempts: number, lastOutcome: string): Promise<void> =>
    vi.waitFor(() => expect(server.admin.delivery(id)).toMatchObject({ attempts, lastOutcome }));
  await outcome(1, '500');
  await clock.advance(30_000);
  await outcome(2, 'REFUSED_ADDRESS');
  expect(receiver.received).toHaveLength(1);
  await clock.advance(60_000);
  await outcome(3, '204');
  expect(asked).toEqual(Array.from({ length: 3 }, () => 'no-such-name.localhost'));
});

test('one forbidden address among several causes a refusal', async () => {
  const { api, server, engine } = await useServer({
    clock: new FakeClock(),
    resolve: async () => [
      { address: '93.184.216.34', family: 4 },
      { address: '192.168.0.1', family: 4 },
    ],
  });
  engine.pause();
  const { id } = await api.submit({
    ...(await api.photoSwapBody()),
    callback_url: 'http://mixed.example.com/hook',
  });
  server.admin.cancelJob(id);
  await vi.waitFor(() => expect(server.admin.delivery(id)).toMatchObject({ lastOutcome: 'REFUSED_ADDRESS' }));
});

test('an address that was allowed at submit is checked again at the attempt', async () => {
  const first = await useServer();
  const receiver = await useReceiver();
  first.engine.pause();
  const { id } = await first.api.submit({ ...(await first.api.photoSwapBody()), callback_url: receiver.url });
  const { server, api } = await first.restart({ callbackPolicy: 'public' });
  await api.ended(id);
  await vi.waitFor(() => expect(server.admin.delivery(id)).toMatchObject({ lastOutcome: 'REFUSED_ADDRESS' }));
  expect(receiver.received).toHaveLength(0);
});
