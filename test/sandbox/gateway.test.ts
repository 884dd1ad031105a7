import { Events } from 'discord.js';
import { expect, test } from 'vitest';
import { createSandbox } from '../../src/sandbox/sandbox.ts';
import { useSandbox } from '../helpers/use-sandbox.ts';
import { newClient, useClient } from './use-client.ts';
import { identify, useGateway } from './use-gateway.ts';
import { useCommand } from './use-command.ts';

test('discord.js logs in, is ready and knows its guilds, channels and permissions', async () => {
  const sandbox = await useSandbox();
  const filmClub = sandbox.addGuild('Film club');
  const general = filmClub.addTextChannel('general');
  sandbox.addGuild('Night radio');

  const client = await useClient(sandbox);
  await sandbox.botOnline();

  expect(client.application.id).toBe(sandbox.applicationId);
  expect(client.guilds.cache.map((guild) => guild.name).sort()).toEqual(['Film club', 'Night radio']);
  const channel = await client.channels.fetch(general.id);
  const guild = await client.guilds.fetch(filmClub.id);
  const me = await guild.members.fetchMe();
  expect(channel?.isTextBased()).toBe(true);
  expect(me.permissionsIn(general.id).toArray()).toContain('AttachFiles');
});

test('a guild that is added later is announced, and one that removes the bot disappears', async () => {
  const sandbox = await useSandbox();
  const client = await useClient(sandbox);
  const joined = new Promise<string>((resolve) =>
    client.once(Events.GuildCreate, (guild) => resolve(guild.name)),
  );
  const left = new Promise<string>((resolve) =>
    client.once(Events.GuildDelete, (guild) => resolve(guild.name)),
  );

  const guild = sandbox.addGuild('Film club');
  expect(await joined).toBe('Film club');
  guild.removesBot();
  expect(await left).toBe('Film club');
  expect(client.guilds.cache.size).toBe(0);
});

test('a wrong token is rejected by REST with 401 and by the gateway with 4004', async () => {
  const sandbox = await useSandbox();
  await expect(newClient(sandbox).login('wrong.token')).rejects.toThrow(/token/i);
  const gateway = await useGateway(sandbox);
  gateway.send(identify(sandbox, { token: 'wrong' }));

  expect(await gateway.closed).toBe(4004);
  expect(sandbox.takeViolations().map((entry) => entry.kind)).toEqual(['unauthorized', 'unauthorized']);
});

test('a wrong token breaks a rule at the URL that this sandbox gave out, with or without a slash at its end', async () => {
  const sandbox = await useSandbox();
  const { url } = (await (await fetch(`${sandbox.apiUrl}/v10/gateway`)).json()) as { url: string };
  const wrong = identify(sandbox, { token: 'wrong' });

  for (const at of [url, `${url}/`]) {
    const gateway = await useGateway(sandbox, undefined, at);
    gateway.send(wrong);
    expect(await gateway.closed).toBe(4004);
    expect(sandbox.takeViolations().map(({ kind }) => kind)).toEqual(['unauthorized']);
  }
});

test('a bot with the right token is admitted at the URL of another sandbox', async () => {
  const [sandbox, other] = [await useSandbox(), await useSandbox()];
  const { url } = (await (await fetch(`${other.apiUrl}/v10/gateway`)).json()) as { url: string };

  const gateway = await useGateway(sandbox, undefined, url.replace(other.cdnHost, sandbox.cdnHost));
  gateway.send(identify(sandbox));

  expect(await gateway.frame(0)).toMatchObject({ t: 'READY' });
});

test('a bot of a sandbox that used the port before breaks no rule of this one', async () => {
  const before = await createSandbox();
  const client = await useClient(before);
  const rejected = new Promise<number>((resolve) =>
    client.on(Events.ShardDisconnect, ({ code }) => resolve(code)),
  );
  await before[Symbol.asyncDispose]();
  await useSandbox({ port: Number(new URL(before.apiUrl).port) });

  expect(await rejected).toBe(4004);
});

test.each([
  ['a privileged intent that is not enabled', { op: 2, privileged: true }, 4014],
  ['an unknown intent', { op: 2, unknown: true }, 4013],
  ['a shard beyond the number of shards', { op: 2, shard: [3, 2] }, 4010],
  ['an unknown opcode', { op: 99, d: null }, 4001],
  ['a payload without opcode', { hello: 1 }, 4002],
  ['a payload of more than 4,096 bytes', { op: 3, d: { status: 'x'.repeat(4100) } }, 4002],
  ['a presence before IDENTIFY', { op: 3, d: { status: 'idle' } }, 4003],
])('%s ends the connection', async (_name, frame, code) => {
  const sandbox = await useSandbox();
  const gateway = await useGateway(sandbox);
  if ('privileged' in frame) gateway.send(identify(sandbox, { intents: 1 << 15 }));
  else if ('unknown' in frame) gateway.send(identify(sandbox, { intents: 1 << 18 }));
  else if ('shard' in frame) gateway.send(identify(sandbox, { shard: frame.shard }));
  else gateway.send(frame);

  expect(await gateway.closed).toBe(code);
  expect(sandbox.takeViolations()).toHaveLength(1);
});

test('a second IDENTIFY ends the connection with 4005 and more than 120 sends with 4008', async () => {
  const sandbox = await useSandbox();
  const twice = await useGateway(sandbox);
  twice.send(identify(sandbox));
  twice.send(identify(sandbox));
  const busy = await useGateway(sandbox);
  for (let sent = 0; sent <= 120; sent++) busy.send({ op: 1, d: null });

  expect(await twice.closed).toBe(4005);
  expect(await busy.closed).toBe(4008);
  expect(sandbox.takeViolations()).toHaveLength(2);
});

test('a client that requests zlib-stream gets one compressed stream, and may send "Bot" with its token', async () => {
  const sandbox = await useSandbox();
  sandbox.addGuild('Film club');
  const gateway = await useGateway(sandbox, 'v=10&encoding=json&compress=zlib-stream');
  gateway.send(identify(sandbox, { token: `Bot ${sandbox.token}` }));

  await expect.poll(() => gateway.frames.length).toBe(3);
  expect(gateway.frames.map((frame) => frame.t ?? frame.op)).toEqual([10, 'READY', 'GUILD_CREATE']);
});

test('a dropped connection is resumed and everything missed is replayed once, in order', async () => {
  const sandbox = await useSandbox();
  const { general, ada, client } = await useCommand(sandbox);
  const seen: string[] = [];
  const three = new Promise<void>((resolve) =>
    client.on(Events.MessageCreate, (message) => {
      seen.push(message.id);
      if (seen.length === 3) resolve();
    }),
  );
  const resumed = new Promise<number>((resolve) =>
    client.once(Events.ShardResume, (_shard, replayed) => resolve(replayed)),
  );
  const first = await ada.says('one', { in: general });
  sandbox.faults.dropGateway(4000);
  const second = await ada.says('two', { in: general });
  const third = await ada.says('three', { in: general });
  await three;

  expect(await resumed).toBeGreaterThanOrEqual(2);
  expect(seen).toEqual([first.id, second.id, third.id]);
});

test.each(['op 7', 'op 9', 'cut'])('the bot reconnects after %s', async (fault) => {
  const sandbox = await useSandbox();
  const { general, ada } = await useCommand(sandbox, (interaction) => interaction.reply('Hello'));
  if (fault === 'op 7') sandbox.faults.askToReconnect();
  if (fault === 'op 9') sandbox.faults.invalidateSessions({ resumable: true });
  if (fault === 'cut') sandbox.faults.dropGateway();
  await sandbox.botOffline();
  await sandbox.botOnline();

  const use = await ada.runs('/hello', { in: general });
  expect((await use.replied()).content).toBe('Hello');
});

test('heartbeats are answered, and a connection without answers is replaced', async () => {
  const sandbox = await useSandbox({ heartbeatIntervalMs: 1_000 });
  const { client } = await useCommand(sandbox);
  const gone = new Promise<void>((resolve) => client.once(Events.ShardReconnecting, () => resolve()));
  sandbox.faults.answerHeartbeats(false);
  await gone;
  sandbox.faults.answerHeartbeats(true);
  await new Promise<void>((resolve) => client.once(Events.ShardResume, () => resolve()));

  await sandbox.botOnline();
});

test('an event that the gateway sends twice reaches the bot twice with the same id', async () => {
  const sandbox = await useSandbox();
  const ids: string[] = [];
  const { general, ada } = await useCommand(sandbox, async (interaction) => {
    ids.push(interaction.id);
    await interaction.reply('Hello').catch(() => undefined);
  });
  sandbox.faults.duplicateDispatch();
  const use = await ada.runs('/hello', { in: general });
  await use.replied();
  await expect.poll(() => ids).toEqual([use.id, use.id]);
  await expect.poll(() => sandbox.takeViolations()).toMatchObject([{ kind: 'broken_rule', detail: /40060/ }]);
});

test('without MESSAGE_CONTENT the bot sees that members write, but not the content', async () => {
  const sandbox = await useSandbox();
  const { general, ada, client } = await useCommand(sandbox);
  const heard = new Promise<string>((resolve) =>
    client.once(Events.MessageCreate, ({ content }) => resolve(content)),
  );
  await ada.says('a secret', { in: general });
  expect(await heard).toBe('');
});

test('a session receives only events for its intents', async () => {
  const sandbox = await useSandbox();
  const guild = sandbox.addGuild('Film club');
  const general = guild.addTextChannel('general');
  const deaf = await useGateway(sandbox);
  const listening = await useGateway(sandbox);
  deaf.send(identify(sandbox, { intents: 0 }));
  listening.send(identify(sandbox, { intents: (1 << 0) | (1 << 9) }));
  await deaf.frame(0);
  await expect.poll(() => listening.frames.length).toBe(3);
  await guild.addMember('Ada').says('Hello', { in: general });
  general.forbids('bot', 'VIEW_CHANNEL');
  await guild.owner.says('Unseen', { in: general });
  guild.addTextChannel('last');

  await expect.poll(() => listening.frames.at(-1)?.t).toBe('CHANNEL_CREATE');
  expect(listening.frames.slice(3).map((frame) => frame.t)).toEqual([
    'MESSAGE_CREATE',
    'CHANNEL_UPDATE',
    'CHANNEL_CREATE',
  ]);
  expect(deaf.frames.map((frame) => frame.t ?? frame.op)).toEqual([10, 'READY']);
});
