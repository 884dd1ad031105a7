import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { sniffBytes } from '../../../src/base/media-type.ts';
import type { OptionValues } from '../../../src/sandbox/script/command-data.ts';
import type { UseOfBot } from '../../../src/sandbox/script/use-of-bot.ts';
import { copyingEngines } from '../../whole/conformance/copying-engines.ts';
import { type Community, sample, useCommunity } from '../../helpers/use-community.ts';

const CLIP = 'talking-woman-512.mp4';
const CLIP_PATH = join(import.meta.dirname, '../../samples', CLIP);

function useClub(): Promise<Community> {
  return useCommunity({ media: { engines: copyingEngines(CLIP_PATH) } });
}

async function run({ ada, general }: Community, command: string, options: OptionValues): Promise<UseOfBot> {
  return ada.runs(command, { in: general, options });
}

const image = await sample('portrait-man-dark-hair.jpg');
const face = await sample('portrait-woman-brown-hair.jpg');
const video = await sample(CLIP);
const audio = await sample('speech-woman-16k.wav');

describe('a command, from the member to the posted result', () => {
  test.each<[string, OptionValues, string, string]>([
    ['/photo-swap', { image, face }, 'Photo Swap', 'image/jpeg'],
    ['/video-swap', { video, face, resolution: 480 }, 'Video Swap', 'video/mp4'],
    ['/identity-swap', { video, character: face, resolution: '2k' }, 'Identity Swap', 'video/mp4'],
    ['/motion-transfer', { image, motion: video }, 'Motion Transfer', 'video/mp4'],
    ['/avatar', { image, script: 'Good evening!', language: 'en', resolution: 720 }, 'Avatar', 'video/mp4'],
    ['/lip-sync', { video, audio, resolution: 1080 }, 'Lip Sync', 'video/mp4'],
  ])('%s', async (command, options, title, contentType) => {
    const club = await useClub();

    const use = await run(club, command, options);
    await use.acknowledged({ withinMs: 1_000 });
    const reply = await use.replyWhere(({ attachments }) => attachments.length === 1);

    expect(reply.text).toContain(title);
    expect(reply.text).toContain('AI-altered media');
    expect(reply.text).toContain(`<@${club.ada.id}>`);
    const [file] = reply.attachments;
    expect(file?.contentType).toBe(contentType);
    expect((await sniffBytes(file?.bytes() ?? new Uint8Array()))?.mime).toBe(contentType);
    expect(club.general.messages).toHaveLength(1);
  });
});

describe('an input that is not an attached picture or clip', () => {
  test('is the newest picture of the channel that came with a mention of the bot', async () => {
    const club = await useClub();
    const { ada, general, bot } = club;
    await ada.says(`<@${bot.client.user?.id}> look`, { in: general, files: [image] });

    const use = await run(club, '/photo-swap', { face, newest: 'image' });

    await use.replyWhere(({ attachments }) => attachments.length === 1);
  });

  test('is the newest result', async () => {
    const club = await useClub();
    const first = await run(club, '/photo-swap', { image, face });
    await first.replyWhere(({ attachments }) => attachments.length === 1);

    const use = await run(club, '/motion-transfer', { motion: video, newest: 'image' });

    await use.replyWhere(({ attachments }) => attachments.length === 1);
  });

  test('is explained when there is no such picture', async () => {
    const use = await run(await useClub(), '/photo-swap', { face, newest: 'image' });

    const reply = await use.replyWhere(({ text }) => text.includes('No file was found for `image`'));

    expect(reply.text).toContain('Nothing was charged.');
  });

  test.each<[string, Uint8Array, string]>([
    ['speaks', Buffer.from('\ufeffGood evening!\n'), 'AI-altered media'],
    ['is too long', Buffer.from('a'.repeat(5_001)), 'The text in `script_file` has 5,001 characters.'],
    ['is empty', Buffer.from(' \n'), '`script_file` is empty'],
    ['is not text', Buffer.from([0xff, 0xfe, 0x41, 0x00]), 'The file in `script_file` is not plain text.'],
  ])('is a text file that %s', async (_name, bytes, words) => {
    const script_file = { name: 'speech.txt', bytes };
    const use = await run(await useClub(), '/avatar', { image, script_file });

    await use.replyWhere(({ text }) => text.includes(words));
  });
});

describe('a command that is refused', () => {
  const refused: readonly [string, OptionValues, string][] = [
    ['/photo-swap', { image }, 'attach a file in `face`'],
    ['/video-swap', { face }, 'set `newest` to video'],
    ['/identity-swap', { video, saved_face: 'Nobody' }, 'You have no saved face of that name.'],
    ['/motion-transfer', { image, motion: video, newest: 'motion' }, 'are for the same thing'],
    ['/avatar', { image, script: 'Hi', voice: 'Nobody' }, 'no voice of that name'],
    ['/lip-sync', { video }, 'There is nothing in `audio`.'],
  ];

  test('is explained and costs nothing, also when only its bytes show the problem', async () => {
    const club = await useClub();
    const liar = { name: 'clip.mp4', bytes: image.bytes };

    for (const [command, options, words] of refused) {
      const reply = await (await run(club, command, options)).replied();
      expect(reply.text).toContain(words);
      expect(reply.text).toContain('Nothing was charged.');
    }
    const use = await run(club, '/lip-sync', { video: liar, audio });
    const reply = await use.replyWhere(({ text }) => text.includes('is not a video'));
    expect(reply.text).toContain('`video`');

    expect((await club.bot.budget(club.guild.id)).left).toBe(10_000_000);
  });
});

describe('a voice for /avatar', () => {
  test('is suggested by its name, and speaks', async () => {
    const club = await useClub();
    const { ada, general, bot } = club;
    const options = { image, script: 'Good evening!' };
    const suggest = (): ReturnType<typeof ada.completes> =>
      ada.completes('/avatar', { in: general, option: 'voice', typed: '', options });
    await expect.poll(async () => (await suggest()).length).toBeGreaterThan(0);
    const [voice] = await suggest();

    const use = await run(club, '/avatar', { ...options, voice: String(voice?.['value']) });
    await use.replyWhere(({ attachments }) => attachments.length === 1);

    expect((await bot.budget(club.guild.id)).left).toBeLessThan(10_000_000);
  });

  test('is listed with a preview that plays', async () => {
    const { ada, general } = await useClub();

    const reply = await (await ada.runs('/voices', { in: general })).replied();
    const [, link = ''] = /\[listen\]\(<(.*?)>\)/.exec(reply.text) ?? [];
    const preview = await fetch(link);

    expect(preview.headers.get('content-type')).toBe('audio/wav');
    expect(general.messages).toEqual([]);
  });
});

describe('a capability that an operator switches off', () => {
  test('is refused after the first command has discovered it, and works again by itself', async () => {
    const club = await useCommunity({
      media: { engines: copyingEngines(CLIP_PATH) },
      bot: { jobLimits: { switchProbeMs: 1 } },
    });
    const options = { image, face };
    club.media.admin.switchCapability('photo_swap', false);

    const found = await run(club, '/photo-swap', options);
    await found.replyWhere(({ text }) => text.includes('switched off'));
    club.media.admin.switchCapability('photo_swap', true);
    const probe = await run(club, '/photo-swap', options);

    await probe.replyWhere(({ attachments }) => attachments.length === 1);
    expect(found.reply?.text).toContain('Nothing was charged.');
  });
});
