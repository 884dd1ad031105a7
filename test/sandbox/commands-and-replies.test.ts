import { AttachmentBuilder, type ChatInputCommandInteraction, Events } from 'discord.js';
import type { Client } from 'discord.js';
import { expect, test } from 'vitest';
import { useSandbox } from '../helpers/use-sandbox.ts';
import { useClient } from './use-client.ts';
import { discordCode, useCommand } from './use-command.ts';

const SWAP = {
  name: 'photo-swap',
  description: 'Puts a face into a picture',
  options: [
    { type: 11, name: 'image', description: 'The picture', required: true },
    { type: 11, name: 'face', description: 'The face', required: true },
  ],
} as const;

const image = { name: 'holiday.jpg', bytes: new TextEncoder().encode('picture') };
const face = { name: 'face.png', bytes: new TextEncoder().encode('face'), contentType: 'image/png' };

function onCommand(
  client: Client,
  handle: (interaction: ChatInputCommandInteraction) => Promise<void>,
): void {
  client.on(Events.InteractionCreate, (interaction) => {
    if (interaction.isChatInputCommand()) void handle(interaction);
  });
}

test('a slash command with two attachments is deferred, edited with a file and followed up', async () => {
  const sandbox = await useSandbox();
  const guild = sandbox.addGuild('Film club');
  const general = guild.addTextChannel('general');
  const ada = guild.addMember('Ada');
  const client = await useClient(sandbox);
  await client.application.commands.set([SWAP]);
  onCommand(client, async (interaction) => {
    await interaction.deferReply();
    const given = interaction.options.getAttachment('image', true);
    const bytes = await (await fetch(given.url)).bytes();
    const result = Buffer.concat([bytes, Buffer.from(' swapped')]);
    await interaction.editReply({
      content: `Done, ${given.contentType}`,
      files: [new AttachmentBuilder(result, { name: 'result.jpg' })],
    });
    await interaction.followUp('Anything else?');
  });

  const use = await ada.runs('/photo-swap', { in: general, options: { image, face } });
  await use.acknowledged({ withinMs: 1000 });
  const reply = await use.replyWhere((message) => message.attachments.length === 1);
  const followUp = await use.followUpWhere((message) => message.content === 'Anything else?');

  expect(use.state).toBe('replied');
  expect(reply.content).toBe('Done, image/jpeg');
  expect(reply.attachments[0]).toMatchObject({ filename: 'result.jpg', size: 15 });
  expect(new TextDecoder().decode(reply.attachments[0]?.bytes())).toBe('picture swapped');
  expect(general.messages.map((message) => message.id)).toEqual([reply.id, followUp.id]);
});

test('a message sent to a channel appears there with its embed', async () => {
  const sandbox = await useSandbox();
  const general = sandbox.addGuild('Film club').addTextChannel('general');
  const client = await useClient(sandbox);
  const channel = await client.channels.fetch(general.id);
  if (!channel?.isSendable()) throw new Error('Cannot send there');

  await channel.send({ embeds: [{ title: 'Budget', description: '$1.20 left' }] });

  const message = await general.messageWhere((entry) => entry.text.includes('$1.20'));
  expect(message).toMatchObject({ author: 'masquerade', byBot: true, editedCount: 0 });
});

test('replies are fetched, edited by id and deleted, and callbacks answer with their message on request', async () => {
  const sandbox = await useSandbox();
  const seen: unknown[] = [];
  const { general, ada } = await useCommand(sandbox, async (interaction) => {
    const { resource, interaction: given } = await interaction.deferReply({ withResponse: true });
    seen.push(resource?.message?.id, given.responseMessageLoading);
    await interaction.editReply('First');
    const second = await interaction.followUp('Second');
    await interaction.editReply({ message: second, content: 'Second, changed' });
    seen.push((await interaction.fetchReply()).content, (await interaction.fetchReply(second.id)).content);
    await interaction.deleteReply();
    seen.push('done');
  });
  const use = await ada.runs('/hello', { in: general });
  await expect.poll(() => seen).toHaveLength(5);

  expect(seen.slice(1)).toEqual([true, 'First', 'Second, changed', 'done']);
  expect(use.reply).toBeNull();
  expect(general.messages.map((message) => message.content)).toEqual(['Second, changed']);
});

test('a direct message reaches its member, unless the member has disabled direct messages', async () => {
  const sandbox = await useSandbox();
  const { ada, client } = await useCommand(sandbox);
  const user = await client.users.fetch(ada.id);
  await user.send('Your result is ready');
  ada.closesInbox();

  expect(await discordCode(user.send('Again'))).toBe(50007);
  expect(ada.inbox.map((message) => message.content)).toEqual(['Your result is ready']);
});
