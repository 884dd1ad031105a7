import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { AttachmentFetcher } from '../../src/bot/discord/wire/attachment-fetcher.ts';
import { progressAt, useAcceptedJob, useResult } from '../bot/discord/use-bot.ts';
import { useFetcher } from '../bot/discord/use-cdn.ts';
import { useFolder } from '../helpers/use-folder.ts';

const NEVER = new AbortController().signal;

describe('/photo-swap', () => {
  test('leads from the command to a posted picture', async () => {
    const { sandbox, intake, publisher, use, ada, channel } = await useAcceptedJob();
    const fetcher = useFetcher(new AttachmentFetcher({ clock: systemClock, hosts: [sandbox.cdnHost] }));
    const folder = await useFolder();

    publisher.showProgress(intake.target, progressAt('fetching', systemClock));
    for (const { source, option } of intake.requests[0]?.inputs ?? []) {
      if (source.from !== 'chat') throw new TypeError('The file is not one of the chat');
      await fetcher.fetch({ url: source.url, toPath: `${folder}/${option}`, sizeBytesMax: 1_000 }, NEVER);
    }
    await publisher.publish(intake.target, await useResult(), NEVER);

    expect(await readFile(`${folder}/image`, 'utf8')).toBe('a picture');
    expect(await readFile(`${folder}/face`, 'utf8')).toBe('a face');
    expect(use.reply?.content).toBe(`**AI-altered media**, made for ${ada.mention}`);
    expect(use.reply?.history.map(({ filenames }) => filenames)).toEqual([[], [], ['photo-swap.png']]);
    expect(channel.messages).toHaveLength(1);
  });
});
