import { expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { PageGuard } from '../../../src/sandbox/page/page-guard.ts';
import type { PageMessage } from '../../../src/sandbox/page/message-views.ts';
import { createSandbox } from '../../../src/sandbox/sandbox.ts';
import { recordingLogger } from '../../helpers/recording-logger.ts';
import { useSandbox } from '../../helpers/use-sandbox.ts';
import { statusAt } from './raw-request.ts';
import { type Page, usePage } from './use-page.ts';

/** An address other than the sandbox's own, like this machine's address on a network. */
const HOST = '127.0.0.2';

test('a door beyond loopback admits the page by its one address, and says so in the log', async () => {
  const lines: string[] = [];
  const sandbox = await useSandbox({ page: { open: { host: HOST } }, logger: recordingLogger(lines) });
  const { host, port, origin } = new URL(sandbox.chatUrl);
  expect([host, lines.filter((line) => line.includes('open beyond this machine')).length]).toEqual([
    `${HOST}:${port}`,
    1,
  ]);
  const { cookie } = await usePage(sandbox);
  const own = { host, origin, cookie };
  const posts = { method: 'POST', path: '/control/guilds/1/channels' };
  const asked: [number, Parameters<typeof statusAt>[1]][] = [
    [200, { headers: own }],
    // Over plain HTTP, the page's read requests carry no other headers that the sandbox checks.
    [200, { headers: { host, cookie } }],
    [403, { headers: { host } }],
    [403, { headers: { host, origin } }],
    [403, { headers: { ...own, origin: `http://${HOST}` } }],
    [403, { headers: { ...own, 'sec-fetch-site': 'cross-site' } }],
    [403, { headers: { host, cookie }, ...posts }],
    [400, { headers: own, ...posts }],
    [403, { headers: { ...own, host: `127.0.0.1:${port}` } }],
    [403, { headers: { ...own, host: new URL(sandbox.controlUrl).host } }],
    [403, { headers: { ...own, host: `evil.example:${port}` } }],
    [200, { headers: { host }, path: '/chat/' }],
    [403, { headers: { host: `localhost:${port}` }, path: '/chat/' }],
    [404, { headers: own, path: '/api/v10/gateway' }],
  ];
  const found = await Promise.all(asked.map(([, request]) => statusAt(origin, request)));
  expect(found).toEqual(asked.map(([expected]) => expected));
});

test('sockets open at the door for its page only, and not for bots', async () => {
  const sandbox = await useSandbox({ page: { open: { host: HOST } } });
  const { headers, origin } = await usePage(sandbox);
  const opens = (path: string, given: Record<string, string>): Promise<boolean> =>
    new Promise((resolve) => {
      const socket = new WebSocket(new URL(path, origin.replace('http', 'ws')), { headers: given });
      socket.on('open', () => resolve(true)).on('error', () => resolve(false));
      socket.on('open', () => socket.terminate());
    });
  const { origin: _origin, ...withoutOrigin } = headers;
  expect(await opens('/control/live', headers)).toBe(true);
  expect(await opens('/control/live', withoutOrigin)).toBe(false);
  expect(await opens('/control/live', { ...headers, origin: new URL(sandbox.controlUrl).origin })).toBe(
    false,
  );
  expect(await opens('/?v=10&encoding=json', headers)).toBe(false);
});

test('closing the sandbox closes its door, with the open pages', async () => {
  const sandbox = await useSandbox({ page: { open: { host: HOST } } });
  const guild = sandbox.addGuild('Film club');
  const live = await (await usePage(sandbox)).actsAs(guild.addMember('Ada').id);
  const closed = new Promise<number>((resolve) => live.socket.once('close', resolve));
  await sandbox[Symbol.asyncDispose]();
  expect(await closed).toBe(1006);
  await expect(fetch(sandbox.chatUrl)).rejects.toThrow('fetch failed');
});

test('a door that cannot be opened is reported in one line, and nothing stays open', async () => {
  const first = await useSandbox({ page: { open: { host: HOST } } });
  const port = Number(new URL(first.chatUrl).port);
  const taken = createSandbox({ page: { open: { host: HOST, port } } });
  await expect(taken).rejects.toThrow(`Cannot listen on ${HOST}:${port}: the port is in use`);
});

test('links to files have the address from which the page was loaded', async () => {
  const sandbox = await useSandbox({ page: { open: { host: HOST } } });
  const guild = sandbox.addGuild('Film club');
  const general = guild.addTextChannel('general');
  const ada = guild.addMember('Ada');
  const door = await usePage(sandbox);
  const live = await door.actsAs(ada.id);
  const { body: upload } = await door.upload<{ upload_id: string }>('a.png', new Uint8Array(7));
  const said = { content: 'Look', in: general.id, files: [{ upload_id: upload.upload_id }] };
  await door.post(`/guilds/${guild.id}/members/${ada.id}/says`, said);
  await expect.poll(() => live.messages.size).toBe(1);
  const linkAt = async (page: Page): Promise<string> => {
    const path = `/users/${ada.id}/channels/${general.id}/messages`;
    const { body } = await page.get<{ messages: readonly PageMessage[] }>(path);
    return body.messages[0]?.attachments[0]?.url ?? '';
  };
  const links = [[...live.messages.values()][0]?.attachments[0]?.url ?? '', await linkAt(door)];
  for (const link of links) {
    expect(new URL(link).origin).toBe(door.origin);
    expect((await (await fetch(link)).bytes()).byteLength).toBe(7);
  }
  const local = await usePage({ ...sandbox, chatUrl: sandbox.controlUrl.replace('control', 'chat/') });
  expect(new URL(await linkAt(local)).origin).toBe(new URL(sandbox.controlUrl).origin);
});

test('behind a proxy the address is the one that browsers use', async () => {
  const url = 'https://chat.example';
  const sandbox = await useSandbox({ page: { open: { host: HOST, port: 0, url } } });
  expect(sandbox.chatUrl).toBe(`${url}/chat/`);
  const guard = new PageGuard({ origin: () => url, isOpen: true });
  expect(guard.setCookie).toMatch(/^sandbox_page_443=.*; Secure$/);
  const isOwn = (host: string): boolean => guard.isOwnHost({ headers: { host } });
  expect(['chat.example', 'Chat.Example'].map(isOwn)).toEqual([true, true]);
  const others = ['chat.example:4000', 'chat.example.evil.example', HOST, 'localhost', ''];
  expect(others.filter(isOwn)).toEqual([]);
});
