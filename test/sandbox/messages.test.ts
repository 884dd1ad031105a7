import { AttachmentBuilder, type SendableChannels } from 'discord.js';
import { expect, test } from 'vitest';
import { FakeClock } from '../helpers/fake-clock.ts';
import { PERMISSION_BITS } from '../../src/sandbox/chat/permissions.ts';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { useSandbox } from '../helpers/use-sandbox.ts';
import { type Scene, discordCode, useCommand } from './use-command.ts';

const MEBIBYTE = 1024 * 1024;

async function useChannel(sandbox: Sandbox): Promise<Scene & { readonly channel: SendableChannels }> {
  const scene = await useCommand(sandbox);
  const channel = await scene.client.channels.fetch(scene.general.id);
  if (!channel?.isSendable()) throw new Error('Cannot send there');
  return { ...scene, channel };
}

test('a message sent again with its nonce within a few minutes is the first message', async () => {
  const clock = new FakeClock();
  const sandbox = await useSandbox({ clock });
  const { channel, general } = await useChannel(sandbox);
  const send = (): Promise<{ id: string }> =>
    channel.send({ content: 'Result', nonce: 'job-1', enforceNonce: true });
  const first = await send();
  const second = await send();
  await channel.send({ content: 'Result', nonce: 'job-2', enforceNonce: true });
  await clock.advance(5 * 60_000);
  const third = await send();

  expect(second.id).toBe(first.id);
  expect(third.id).not.toBe(first.id);
  expect(general.messages).toHaveLength(3);
});

test('repeating a nonce whose message was deleted is rejected with 10008', async () => {
  const sandbox = await useSandbox();
  const { channel, general } = await useChannel(sandbox);
  const message = await channel.send({ content: 'Result', nonce: 'job-1', enforceNonce: true });
  await message.delete();

  expect(await discordCode(channel.send({ content: 'Result', nonce: 'job-1', enforceNonce: true }))).toBe(
    10008,
  );
  expect(general.messages).toEqual([]);
});

test.each([
  ['with a nonce gives one message', 'job-1', 1],
  ['without a nonce gives two', undefined, 2],
])('a 500 after the effect, retried by discord.js %s', async (_name, nonce, count) => {
  const sandbox = await useSandbox();
  const { channel, general } = await useChannel(sandbox);
  sandbox.faults.failNext({
    method: 'POST',
    route: '/channels/:channelId/messages',
    status: 500,
    moment: 'after',
  });
  await channel.send({ content: 'Result', ...(nonce === undefined ? {} : { nonce, enforceNonce: true }) });

  expect(general.messages).toHaveLength(count);
});

test('an edit keeps only the files it lists, and the history contains every state', async () => {
  const sandbox = await useSandbox();
  const { channel, general } = await useChannel(sandbox);
  const file = (name: string): AttachmentBuilder => new AttachmentBuilder(Buffer.from(name), { name });
  const sent = await channel.send({ content: 'One', files: [file('a.txt'), file('b.txt')] });
  const kept = sent.attachments.filter((entry) => entry.name === 'b.txt');
  await sent.edit({ content: 'Two', attachments: [...kept.values()], files: [file('c.txt')] });
  await sent.edit('Three');

  const message = await general.messageWhere((entry) => entry.content === 'Three');
  expect(message.attachments.map((entry) => entry.filename)).toEqual(['b.txt', 'c.txt']);
  expect(message.editedCount).toBe(2);
  expect(message.history.map((entry) => [entry.content, entry.filenames])).toEqual([
    ['One', ['a.txt', 'b.txt']],
    ['Two', ['b.txt', 'c.txt']],
    ['Three', ['b.txt', 'c.txt']],
  ]);
});

test('an embed shows a file of its message, and attachments have the size of pictures', async () => {
  const sandbox = await useSandbox();
  const { channel, general } = await useChannel(sandbox);
  const png = Buffer.alloc(33);
  png.writeUInt32BE(0x89_50_4e_47, 0);
  png.writeUInt32BE(640, 16);
  png.writeUInt32BE(480, 20);
  const sent = await channel.send({
    embeds: [{ title: 'Done', image: { url: 'attachment://result.png' } }],
    files: [new AttachmentBuilder(png, { name: 'result.png' })],
  });

  expect(sent.embeds[0]?.image).toMatchObject({ width: 640, height: 480 });
  const shown = await fetch(sent.embeds[0]?.image?.url ?? '');
  expect((await shown.bytes()).byteLength).toBe(33);
  expect(general.messages[0]?.embeds[0]).toMatchObject({ title: 'Done', type: 'rich' });
});

test.each([
  ['2,001 characters', { content: 'x'.repeat(2001) }, 50035],
  ['no content', { content: '' }, 50006],
  ['11 embeds', { embeds: Array.from({ length: 11 }, () => ({ title: 'a' })) }, 50035],
  [
    '6,001 characters in embeds',
    { embeds: [{ description: 'x'.repeat(4001) }, { description: 'x'.repeat(2000) }] },
    50035,
  ],
  ['an embed of a missing file', { embeds: [{ image: { url: 'attachment://none.png' } }] }, 50035],
  ['a file of more than 10 MiB', { files: [Buffer.alloc(10 * MEBIBYTE + 1)] }, 40005],
  ['more than 25 MiB in sum', { files: [1, 2, 3].map(() => Buffer.alloc(9 * MEBIBYTE)) }, 40005],
])('a message with %s is rejected', async (_name, message, code) => {
  const sandbox = await useSandbox();
  const { channel, general } = await useChannel(sandbox);

  expect(await discordCode(channel.send(message))).toBe(code);
  expect(general.messages).toEqual([]);
  expect(sandbox.takeViolations()).toHaveLength(1);
});

test('the file limit of the guild applies, and the interaction contains it', async () => {
  const sandbox = await useSandbox();
  const guild = sandbox.addGuild('Boosted', { attachmentSizeLimitBytes: 12 * MEBIBYTE });
  const general = guild.addTextChannel('general');
  const limits: number[] = [];
  const { client } = await useCommand(sandbox, async (interaction) => {
    limits.push(interaction.attachmentSizeLimit);
    await interaction.reply({ files: [Buffer.alloc(11 * MEBIBYTE)] });
  });
  const use = await guild.addMember('Ben').runs('/hello', { in: general });
  const reply = await use.replied();

  expect(limits).toEqual([12 * MEBIBYTE]);
  expect(reply.attachments[0]?.size).toBe(11 * MEBIBYTE);
  expect(client.isReady()).toBe(true);
});

test('mentions notify only the targets in allowed_mentions', async () => {
  const sandbox = await useSandbox();
  const { channel, general, ada, guild } = await useChannel(sandbox);
  guild.botRole.may('VIEW_CHANNEL', 'SEND_MESSAGES', 'MENTION_EVERYONE', 'READ_MESSAGE_HISTORY');
  const content = `${ada.mention} @everyone`;
  await channel.send(content);
  await channel.send({ content, allowedMentions: { parse: [] } });

  expect(PERMISSION_BITS.MENTION_EVERYONE).toBe(17);
  expect(general.messages.map((message) => message.mentions)).toEqual([['Ada', '@everyone'], []]);
});

test('messages are listed newest first, by pages, without ephemeral and deleted ones', async () => {
  const sandbox = await useSandbox();
  const { channel, ada, general } = await useChannel(sandbox);
  const texts = ['one', 'two', 'three', 'four'];
  for (const text of texts) await ada.says(text, { in: general });
  if (!('messages' in channel)) throw new Error('Cannot read there');
  const newest = await channel.messages.fetch({ limit: 2 });
  const older = await channel.messages.fetch({ limit: 2, before: newest.lastKey() ?? '' });

  expect(newest.map((message) => message.id)).toEqual(
    general.messages
      .slice(2)
      .map((m) => m.id)
      .toReversed(),
  );
  expect(older.size).toBe(2);
  expect((await channel.messages.fetch({ after: older.firstKey() ?? '' })).size).toBe(2);
});

test('a message older than an hour can only be edited a limited number of times an hour', async () => {
  const clock = new FakeClock();
  const wireClock = new FakeClock();
  const sandbox = await useSandbox({ clock, wireClock });
  const { channel } = await useChannel(sandbox);
  const { id } = await channel.send('Working');
  const edit = async (): Promise<Response> => {
    await wireClock.advance(1000);
    return fetch(`${sandbox.apiUrl}/v10/channels/${channel.id}/messages/${id}`, {
      method: 'PATCH',
      headers: { authorization: `Bot ${sandbox.token}`, 'content-type': 'application/json' },
      body: '{"content":"Still working"}',
    });
  };
  await clock.advance(3_600_000);
  const answers = [];
  for (let count = 0; count < 31; count++) answers.push((await edit()).status);

  expect(answers.lastIndexOf(200)).toBe(29);
  expect(await (await edit()).json()).toMatchObject({ code: 30046, global: false });
  expect(sandbox.takeViolations()).toHaveLength(2);
  await clock.advance(3_600_000);
  expect((await edit()).status).toBe(200);
});
