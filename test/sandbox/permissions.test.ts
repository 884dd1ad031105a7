import { AttachmentBuilder, type SendableChannels } from 'discord.js';
import { expect, test } from 'vitest';
import { useSandbox } from '../helpers/use-sandbox.ts';
import { type Scene, discordCode, useCommand } from './use-command.ts';

async function sendable(scene: Scene): Promise<SendableChannels> {
  const channel = await scene.client.channels.fetch(scene.general.id);
  if (!channel?.isSendable()) throw new Error('Cannot send there');
  return channel;
}

const file = new AttachmentBuilder(Buffer.from('x'), { name: 'x.txt' });

test.each([
  ['see the channel', 'VIEW_CHANNEL', { content: 'Hello' }, 50001],
  ['send messages', 'SEND_MESSAGES', { content: 'Hello' }, 50013],
  ['attach files', 'ATTACH_FILES', { files: [file] }, 50013],
  ['embed links', 'EMBED_LINKS', { embeds: [{ title: 'Hello' }] }, 50013],
] as const)('a bot that may not %s is refused', async (_name, permission, message, code) => {
  const sandbox = await useSandbox();
  const scene = await useCommand(sandbox);
  const channel = await sendable(scene);
  await channel.send({ content: 'before' });
  scene.general.forbids('bot', permission);

  expect(await discordCode(channel.send(message))).toBe(code);
  expect(sandbox.takeViolations()).toMatchObject([{ kind: 'forbidden' }]);
  scene.general.permits('bot', permission);
  await channel.send(message);
  expect(scene.general.messages).toHaveLength(2);
});

test('a bot without permission for files is refused when it adds one to its message, and may change the rest', async () => {
  const sandbox = await useSandbox();
  const scene = await useCommand(sandbox);
  const message = await (await sendable(scene)).send({ content: 'before' });
  scene.general.forbids('bot', 'ATTACH_FILES');

  expect(await discordCode(message.edit({ files: [file] }))).toBe(50013);
  await message.edit({ content: 'after' });

  expect(sandbox.takeViolations()).toMatchObject([{ kind: 'forbidden' }]);
  expect(scene.general.messages).toMatchObject([{ content: 'after' }]);
});

test('an overwrite of a member has precedence over those of roles, and one of a role over that of everyone', async () => {
  const sandbox = await useSandbox();
  const scene = await useCommand(sandbox);
  const channel = await sendable(scene);
  scene.general.forbids('everyone', 'SEND_MESSAGES');
  expect(await discordCode(channel.send('one'))).toBe(50013);
  scene.general.permits(scene.guild.botRole, 'SEND_MESSAGES');
  await channel.send('two');
  scene.general.forbids('bot', 'SEND_MESSAGES');
  expect(await discordCode(channel.send('three'))).toBe(50013);
  scene.guild.botRole.may('ADMINISTRATOR');
  await channel.send('four');

  expect(scene.general.messages.map((message) => message.content)).toEqual(['two', 'four']);
  expect(sandbox.takeViolations()).toHaveLength(2);
});

test('a deleted channel is unknown, and so is a guild that removed the bot', async () => {
  const sandbox = await useSandbox();
  const scene = await useCommand(sandbox);
  const channel = await sendable(scene);
  scene.general.disappears();
  expect(await discordCode(channel.send('Hello'))).toBe(10003);
  scene.guild.removesBot();
  expect(await discordCode(scene.client.guilds.fetch({ guild: scene.guild.id, force: true }))).toBe(10004);
});

test('a member who may not see a channel or use commands cannot run one there', async () => {
  const sandbox = await useSandbox();
  const { guild, general, ada } = await useCommand(sandbox);
  general.forbids(ada, 'USE_APPLICATION_COMMANDS');
  await expect(ada.runs('/hello', { in: general })).rejects.toThrow('permission');
  const secret = guild.addTextChannel('secret');
  secret.forbids('everyone', 'VIEW_CHANNEL');
  await expect(ada.runs('/hello', { in: secret })).rejects.toThrow('may not see it');
});

test('the bot may only change its own messages, its own name, and the status of a voice channel', async () => {
  const sandbox = await useSandbox();
  const scene = await useCommand(sandbox);
  const lounge = scene.guild.addVoiceChannel('Lounge');
  const foreign = await scene.ada.says('mine', { in: scene.general });
  const channel = await sendable(scene);
  if (!('messages' in channel)) throw new Error('Cannot read there');

  expect(await discordCode(channel.messages.edit(foreign.id, 'stolen'))).toBe(50005);
  expect(await discordCode(channel.messages.delete(foreign.id))).toBe(50013);
  await scene.client.rest.put(`/channels/${lounge.id}/voice-status`, { body: { status: 'Converted live' } });
  const me = await scene.client.guilds.cache.get(scene.guild.id)?.members.fetchMe();
  await me?.setNickname('Masquerade (live)');

  expect(lounge.status).toBe('Converted live');
  expect(sandbox.takeViolations()).toHaveLength(2);
});
