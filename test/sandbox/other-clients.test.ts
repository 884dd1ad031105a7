import { expect, test } from 'vitest';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { useSandbox } from '../helpers/use-sandbox.ts';
import { identify, useGateway } from './use-gateway.ts';

interface Answer {
  readonly status: number;
  readonly body: Record<string, unknown>;
}

/** Sends a request as libraries other than discord.js do. Every answer is checked against Discord's description. */
async function ask(
  sandbox: Sandbox,
  method: string,
  path: string,
  body?: string | FormData,
): Promise<Answer> {
  const json: Record<string, string> = typeof body === 'string' ? { 'content-type': 'application/json' } : {};
  const answer = await fetch(`${sandbox.apiUrl}/v10${path}`, {
    method,
    headers: { authorization: `Bot ${sandbox.token}`, ...json },
    ...(body === undefined ? {} : { body }),
  });
  const text = await answer.text();
  return { status: answer.status, body: text === '' ? {} : (JSON.parse(text) as Record<string, unknown>) };
}

test('every readable route answers as the description requires', async () => {
  const sandbox = await useSandbox();
  const { filmClub } = sandbox.seed();
  const { guild, channels, members } = filmClub;
  const message = await members.ada.says('Hello', { in: channels.general });
  const paths = [
    '/gateway',
    '/gateway/bot',
    '/users/@me',
    `/users/${members.ada.id}`,
    '/applications/@me',
    '/oauth2/applications/@me',
    '/users/@me/guilds',
    `/guilds/${guild.id}?with_counts=true`,
    `/guilds/${guild.id}/channels`,
    `/guilds/${guild.id}/roles`,
    `/guilds/${guild.id}/members/${members.ben.id}`,
    `/channels/${channels.lounge.id}`,
    `/channels/${channels.stage.id}`,
    `/channels/${channels.general.id}/messages?limit=10`,
    `/channels/${channels.general.id}/messages/${message.id}`,
    `/applications/${sandbox.applicationId}/commands?with_localizations=true`,
    `/applications/${sandbox.applicationId}/guilds/${guild.id}/commands`,
  ];
  const statuses = await Promise.all(paths.map(async (path) => (await ask(sandbox, 'GET', path)).status));
  const typing = await ask(sandbox, 'POST', `/channels/${channels.general.id}/typing`);

  expect(statuses).toEqual(paths.map(() => 200));
  expect(typing.status).toBe(204);
});

test('a missing object is 404 with the code of its kind, and no violation', async () => {
  const sandbox = await useSandbox();
  const guild = sandbox.addGuild('Film club');
  const general = guild.addTextChannel('general');
  const none = '111111111111111111';
  const answers = await Promise.all(
    [
      `/channels/${none}`,
      `/guilds/${none}`,
      `/guilds/${guild.id}/members/${none}`,
      `/channels/${general.id}/messages/${none}`,
      `/users/${none}`,
      `/applications/${sandbox.applicationId}/commands/${none}`,
    ].map((path) => ask(sandbox, 'GET', path)),
  );

  expect(answers.map(({ status, body }) => [status, body['code']])).toEqual(
    [10003, 10004, 10007, 10008, 10013, 10063].map((code) => [404, code]),
  );
});

test('a form may start with its JSON and number its files with integers', async () => {
  const sandbox = await useSandbox();
  const general = sandbox.addGuild('Film club').addTextChannel('general');
  const form = new FormData();
  const attachments = [{ id: 0, description: 'A picture', filename: 'renamed.png' }];
  form.set('payload_json', JSON.stringify({ content: 'Hello', attachments }));
  form.set('files[0]', new File(['abc'], 'a.png', { type: 'image/png' }));
  const { status } = await ask(sandbox, 'POST', `/channels/${general.id}/messages`, form);

  expect(status).toBe(200);
  expect(general.messages[0]?.attachments[0]).toMatchObject({
    filename: 'renamed.png',
    description: 'A picture',
    contentType: 'image/png',
    size: 3,
  });
});

test('an unlisted file, and a listed file that is missing, are rejected', async () => {
  const sandbox = await useSandbox();
  const general = sandbox.addGuild('Film club').addTextChannel('general');
  const send = (attachments: unknown): Promise<Answer> => {
    const form = new FormData();
    form.set('files[0]', new File(['abc'], 'a.png'));
    form.set('payload_json', JSON.stringify({ attachments }));
    return ask(sandbox, 'POST', `/channels/${general.id}/messages`, form);
  };

  expect((await send([])).body['code']).toBe(50035);
  expect((await send([{ id: '0' }, { id: '1' }])).body['code']).toBe(50035);
  expect(sandbox.takeViolations()).toHaveLength(2);
});

test('every IDENTIFY uses up one of the day’s session starts', async () => {
  const sandbox = await useSandbox();
  const remaining = async (): Promise<unknown> =>
    ((await ask(sandbox, 'GET', '/gateway/bot')).body['session_start_limit'] as { remaining: number })
      .remaining;
  const before = await remaining();
  const gateway = await useGateway(sandbox);
  gateway.send(identify(sandbox));
  await gateway.frame(0);

  expect([before, await remaining()]).toEqual([1000, 999]);
});

test('a slow answer is only late, and a requested 429 states how long to wait', async () => {
  const sandbox = await useSandbox();
  sandbox.faults.failNext({ route: '/gateway', delayMs: 30 });
  sandbox.faults.failNext({ route: '/users/@me', status: 429 });
  const startedMs = performance.now();
  const slow = await ask(sandbox, 'GET', '/gateway');
  const tookMs = performance.now() - startedMs;
  const limited = await ask(sandbox, 'GET', '/users/@me');

  expect(slow.status).toBe(200);
  expect(tookMs).toBeGreaterThan(25);
  expect(limited.body).toMatchObject({ retry_after: 1, global: false });
  expect(() => sandbox.faults.failNext({ route: '/typo' })).toThrow('no such route');
});
