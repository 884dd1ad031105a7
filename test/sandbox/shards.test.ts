import { Events } from 'discord.js';
import { expect, test } from 'vitest';
import { addGuildOf, shardOf } from '../whole/shards/use-shards.ts';
import { useSandbox } from '../helpers/use-sandbox.ts';
import { useClient } from './use-client.ts';
import { identify, useGateway } from './use-gateway.ts';

test('each shard receives its own guilds and their events, and uses the requested presence', async () => {
  const sandbox = await useSandbox();
  const guilds = [0, 1, 2].map((shard) => addGuildOf(sandbox, shard, 3, `Club ${shard}`));

  const shards = await Promise.all([0, 1, 2].map(() => useGateway(sandbox)));
  shards.forEach((shard, id) => shard.send(identify(sandbox, { intents: 1, shard: [id, 3] })));
  for (const { frames } of shards) await expect.poll(() => frames.length).toBe(3);
  guilds[1]?.addTextChannel('general');

  await expect.poll(() => shards[1]?.frames.at(-1)?.t).toBe('CHANNEL_CREATE');
  shards.forEach(({ frames }, id) => {
    const [, ready, create] = frames;
    expect(ready).toMatchObject({ t: 'READY', d: { shard: [id, 3], guilds: [{ id: guilds[id]?.id }] } });
    expect(create).toMatchObject({ t: 'GUILD_CREATE', d: { id: guilds[id]?.id } });
    expect(frames).toHaveLength(id === 1 ? 4 : 3);
  });
});

test('discord.js runs two shards in one client, and each guild belongs to one of them', async () => {
  const sandbox = await useSandbox();
  const guilds = [0, 1].map((shard) => addGuildOf(sandbox, shard, 2, `Club ${shard}`));

  const client = await useClient(sandbox, { shards: [0, 1], shardCount: 2 });

  expect(client.ws.shards.size).toBe(2);
  for (const { id } of guilds) expect(client.guilds.cache.get(id)?.shardId).toBe(shardOf(id, 2));
});

test('an interaction reaches the shard of its guild and no other', async () => {
  const sandbox = await useSandbox();
  const guild = addGuildOf(sandbox, 1, 2, 'Film club');
  const general = guild.addTextChannel('general');
  sandbox.addCommand({ name: 'hello', description: 'Says hello' });
  const heard: number[] = [];
  for (const shard of [0, 1]) {
    const client = await useClient(sandbox, { shards: [shard], shardCount: 2 });
    client.on(Events.InteractionCreate, (interaction) => {
      heard.push(shard);
      if (interaction.isChatInputCommand()) void interaction.reply(`Hello from ${shard}`);
    });
  }

  const use = await guild.addMember('Ada').runs('/hello', { in: general });

  expect((await use.replied()).content).toBe('Hello from 1');
  expect(heard).toEqual([1]);
});

test('a session with too many guilds is closed with 4011, and Discord reports the number of shards it requires', async () => {
  const sandbox = await useSandbox({ guildsPerShard: { recommended: 1, max: 2 } });
  for (const shard of [0, 0, 1]) addGuildOf(sandbox, shard, 2, 'Club');
  const one = await useGateway(sandbox);
  one.send(identify(sandbox));
  const half = await useGateway(sandbox);
  half.send(identify(sandbox, { shard: [0, 2] }));

  expect(await one.closed).toBe(4011);
  await half.frame(0);
  expect(sandbox.takeViolations()).toMatchObject([{ kind: 'gateway_rule', what: 'gateway close 4011' }]);
  const headers = { authorization: `Bot ${sandbox.token}` };
  const answer = await fetch(`${sandbox.apiUrl}/v10/gateway/bot`, { headers });
  expect(await answer.json()).toMatchObject({
    shards: 3,
    session_start_limit: { total: 1000, remaining: 999, max_concurrency: 16 },
  });
});

test('a bot in no guild is advised to run one shard', async () => {
  const sandbox = await useSandbox();
  const headers = { authorization: `Bot ${sandbox.token}` };

  const answer = await fetch(`${sandbox.apiUrl}/v10/gateway/bot`, { headers });

  expect(await answer.json()).toMatchObject({ shards: 1 });
});
