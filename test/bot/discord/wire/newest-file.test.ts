import { extname } from 'node:path';
import { Routes } from 'discord.js';
import { describe, expect, test } from 'vitest';
import { ChannelFiles } from '../../../../src/bot/discord/wire/channel-files.ts';
import { type Bot, useBot } from '../use-bot.ts';
import type { NewestFile } from '../../../../src/bot/jobs/inputs/newest-file.ts';

type Found = Awaited<ReturnType<NewestFile['find']>>;
type Wanted = Partial<Parameters<NewestFile['find']>[0]>;

function find(bot: Bot, wanted: Wanted = {}): Promise<Found> {
  const request = {
    channelId: bot.channel.id,
    kind: 'image',
    sizeBytesMax: 1_000,
    isFree: () => Promise.resolve(true),
    ...wanted,
  };
  return new ChannelFiles(bot.client).find(
    request as Parameters<NewestFile['find']>[0],
    new AbortController().signal,
  );
}

const TYPES: Readonly<Record<string, string>> = {
  '.png': 'image/png',
  '.mp4': 'video/mp4',
  '.txt': 'text/plain',
};

/** Posts a file as the bot, in the same way as it posts results. */
async function posts({ client, channel }: Bot, name: string, bytes: string): Promise<void> {
  const files = [{ name, data: Buffer.from(bytes), contentType: TYPES[extname(name)] ?? '' }];
  await client.rest.post(Routes.channelMessages(channel.id), { body: { content: 'Here it is' }, files });
}

async function contentOf(found: Found): Promise<string | undefined> {
  return found ? (await fetch(found.url)).text() : undefined;
}

describe('the newest file of a channel', () => {
  test('is the one of the newest message with a file of the requested kind, and its link works', async () => {
    const bot = await useBot();
    await posts(bot, 'old.png', 'an old picture');
    await posts(bot, 'new.png', 'a new picture');
    await posts(bot, 'newer.mp4', 'a clip');
    await posts(bot, 'notes.txt', 'words');

    expect(await contentOf(await find(bot))).toBe('a new picture');
    expect(await contentOf(await find(bot, { kind: 'video' }))).toBe('a clip');
    expect(await find(bot, { kind: 'audio' })).toBeNull();
  });

  test('is never a file that is too large', async () => {
    const bot = await useBot();
    await posts(bot, 'small.png', 'small');
    await posts(bot, 'large.png', 'x'.repeat(1_001));
    expect(await contentOf(await find(bot))).toBe('small');
  });

  test("is a member's file only if the message mentions the bot: Discord shows no others without a privileged intent", async () => {
    const bot = await useBot();
    const files = [{ name: 'mine.png', bytes: new TextEncoder().encode('my picture') }];
    await bot.ada.says('look at this', { in: bot.channel, files });
    expect(await find(bot)).toBeNull();

    await bot.ada.says(`<@${bot.client.user.id}> look at this`, { in: bot.channel, files });

    expect(await contentOf(await find(bot))).toBe('my picture');
  });

  test('is never a file that the member may not use', async () => {
    const bot = await useBot();
    await posts(bot, 'result.png', 'a result');
    const files = [{ name: 'mine.png', bytes: new TextEncoder().encode('my picture') }];
    await bot.ada.says(`<@${bot.client.user.id}>`, { in: bot.channel, files });
    const isFree = ({ authorId }: { readonly authorId: string }): Promise<boolean> =>
      Promise.resolve(authorId !== bot.ada.id);
    expect(await contentOf(await find(bot, { isFree }))).toBe('a result');
  });

  test('is none in a deleted channel', async () => {
    const bot = await useBot();
    expect(await find(bot, { channelId: '123456789012345678' })).toBeNull();
  });
});
