import { expect, test } from 'vitest';
import { createSandbox } from '../../src/sandbox/sandbox.ts';
import { useSandbox } from '../helpers/use-sandbox.ts';
import { useClient } from './use-client.ts';
import { useGateway } from './use-gateway.ts';
import { useCommand } from './use-command.ts';

test('an unknown route is a violation, with the method and the path', async () => {
  const sandbox = await useSandbox();
  const answer = await fetch(`${sandbox.apiUrl}/v10/channels/1/mesages`, { method: 'POST' });

  expect([answer.status, await answer.json()]).toEqual([404, { message: '404: Not Found', code: 0 }]);
  expect(sandbox.takeViolations()).toMatchObject([
    { kind: 'unknown_route', what: 'POST', detail: '/api/v10/channels/1/mesages' },
  ]);
  await fetch(`${sandbox.apiUrl}/v10/webhooks/1/secret/slack`, { method: 'POST' });
  expect(sandbox.takeViolations()).toMatchObject([{ detail: '/api/v10/webhooks/1/:token/slack' }]);
});

test.each([
  ['no token', undefined],
  ['a wrong token', 'Bot wrong'],
  ['a token without "Bot"', 'TOKEN'],
])('%s is 401 on an authenticated route', async (_name, authorization) => {
  const sandbox = await useSandbox();
  const header = authorization?.replace('TOKEN', sandbox.token);
  const answer = await fetch(`${sandbox.apiUrl}/v10/users/@me`, {
    headers: header === undefined ? {} : { authorization: header },
  });

  expect([answer.status, await answer.json()]).toEqual([401, { message: '401: Unauthorized', code: 0 }]);
  expect(sandbox.takeViolations()).toMatchObject([{ kind: 'unauthorized' }]);
});

test.each([
  ['text that is not JSON', 'application/json', '{"content":', 50109],
  ['a form without boundary', 'multipart/form-data', 'x', 50035],
  ['another type', 'text/plain', 'x', 50035],
  ['a field of the wrong type', 'application/json', '{"content":1}', 50035],
])('a body of %s is rejected', async (_name, contentType, body, code) => {
  const sandbox = await useSandbox();
  const general = sandbox.addGuild('Film club').addTextChannel('general');
  const answer = await fetch(`${sandbox.apiUrl}/v10/channels/${general.id}/messages`, {
    method: 'POST',
    headers: { authorization: `Bot ${sandbox.token}`, 'content-type': contentType },
    body,
  });

  expect(answer.status).toBe(400);
  expect(await answer.json()).toMatchObject({ code });
  expect(sandbox.takeViolations()).toMatchObject([{ kind: 'malformed_body' }]);
});

test('a rejected body names its fields as Discord does', async () => {
  const sandbox = await useSandbox();
  const { client, general } = await useCommand(sandbox);
  const send = client.rest.post(`/channels/${general.id}/messages`, {
    body: { embeds: [{ title: 'x'.repeat(257) }] },
  });

  await expect(send).rejects.toMatchObject({
    rawError: {
      errors: { embeds: { 0: { title: { _errors: [{ code: 'BASE_TYPE_MAX_LENGTH' }] } } } },
    },
  });
  expect(sandbox.takeViolations()).toHaveLength(1);
});

test('a cut connection is an error for the client, without an effect', async () => {
  const sandbox = await useSandbox();
  const { client, general } = await useCommand(sandbox);
  client.rest.options.retries = 0;
  sandbox.faults.failNext({ method: 'POST', route: '/channels/:channelId/messages', status: 'cut' });

  await expect(
    client.rest.post(`/channels/${general.id}/messages`, { body: { content: 'x' } }),
  ).rejects.toThrow();
  expect(general.messages).toEqual([]);
});

test('downloads can be refused, cut off and mislabelled on request', async () => {
  const sandbox = await useSandbox();
  const guild = sandbox.addGuild('Film club');
  const file = { name: 'a.png', bytes: new Uint8Array(100_000) };
  const message = await guild.addMember('Ada').says('', { in: guild.addTextChannel('g'), files: [file] });
  const url = message.attachments[0]?.url ?? '';
  sandbox.faults.failNextDownload({ status: 503 });
  sandbox.faults.failNextDownload({ cutAfterBytes: 1000 });
  sandbox.faults.failNextDownload({ contentType: 'text/html', delayMs: 1 });

  sandbox.faults.failNextDownload({ bytesPerSecond: 1_000_000 });

  expect((await fetch(url)).status).toBe(503);
  await expect(fetch(url).then((answer) => answer.bytes())).rejects.toThrow();
  expect((await fetch(url)).headers.get('content-type')).toBe('text/html');
  const startedMs = performance.now();
  expect((await (await fetch(url)).bytes()).byteLength).toBe(100_000);
  expect(performance.now() - startedMs).toBeGreaterThan(90);
  expect((await (await fetch(url)).bytes()).byteLength).toBe(100_000);
});

test('the sandbox opens only on loopback', async () => {
  await expect(createSandbox({ host: '0.0.0.0' })).rejects.toThrow('loopback only');
});

test('a second bot has its own token, commands and events in the same guilds', async () => {
  const sandbox = await useSandbox();
  const guild = sandbox.addGuild('Film club');
  const stage = sandbox.addApplication('Masquerade stage');
  const first = await useClient(sandbox);
  const second = await useClient({
    ...sandbox,
    apiUrl: sandbox.apiUrl,
    cdnHost: sandbox.cdnHost,
    token: stage.token,
  });
  await first.application.commands.set([{ name: 'hello', description: 'x' }]);

  expect(second.user.id).not.toBe(first.user.id);
  expect(second.guilds.cache.has(guild.id)).toBe(true);
  expect((await second.application.commands.fetch()).size).toBe(0);
});

test('the seeded communities share a member and provide everything that the demo needs', async () => {
  const sandbox = await useSandbox();
  const { filmClub, nightRadio } = sandbox.seed();
  const client = await useClient(sandbox);

  expect(filmClub.members.ada.id).toBe(nightRadio.members.ada.id);
  expect(client.guilds.cache.size).toBe(2);
  const lounge = await client.channels.fetch(filmClub.channels.lounge.id);
  expect(lounge?.isVoiceBased()).toBe(true);
});

test('closing ends connections and open waits, may be repeated, and frees the port', async () => {
  const sandbox = await createSandbox();
  const port = Number(sandbox.cdnHost.split(':')[1]);
  await expect(createSandbox({ port })).rejects.toMatchObject({ code: 'port_in_use' });
  const gateway = await useGateway(sandbox);
  const wait = sandbox.botOnline().catch((error: unknown) => String(error));
  await sandbox[Symbol.asyncDispose]();
  await sandbox[Symbol.asyncDispose]();

  expect(await wait).toContain('the sandbox was closed');
  expect(await gateway.closed).toBe(1006);
  const again = await createSandbox({ port });
  await again[Symbol.asyncDispose]();
});
