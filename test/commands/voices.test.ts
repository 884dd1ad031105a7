import { describe, expect, test } from 'vitest';
import { avatar } from '../../commands/avatar.ts';
import { voices, voicesPage } from '../../commands/voices.ts';
import { systemClock } from '../../src/base/clock.ts';
import type { OfferedVoice } from '../../src/bot/discord/command.ts';
import { voicesReply } from '../../src/bot/discord/words/replies/voices-reply.ts';
import type { MessageView } from '../../src/sandbox/script/message-view.ts';
import { aVoice } from '../bot/discord/use-services.ts';
import { type Stage, useHandlers } from '../bot/discord/use-handlers.ts';

const HANDLERS = { commands: [avatar, voices], components: [voicesPage] };

function useVoices(list: readonly OfferedVoice[] | null): Promise<Stage> {
  return useHandlers(HANDLERS, systemClock, { voices: { list } });
}

function manyVoices(count: number): readonly OfferedVoice[] {
  return Array.from({ length: count }, (_, index) => aVoice(`Voice ${String(index).padStart(3, '0')}`));
}

/** Returns the suggestions for `/avatar voice`. */
async function suggested(list: readonly OfferedVoice[] | null, typed: string): Promise<readonly unknown[]> {
  const { ada, channel } = await useVoices(list);
  return ada.completes('/avatar', { in: channel, option: 'voice', typed });
}

describe('/avatar voice, while a member types', () => {
  test.each([
    [0, 0],
    [1, 1],
    [26, 25],
    [500, 25],
  ])('for %d voices suggests %d', async (count, shown) => {
    expect(await suggested(manyVoices(count), '')).toHaveLength(shown);
  });

  test('suggests nothing before the voices are known, without waiting', async () => {
    expect(await suggested(null, 'a')).toEqual([]);
  });

  test('finds a voice by its name, matches at the start first', async () => {
    const list = [aVoice('Joan'), aVoice('Cleo'), aVoice('Anna', { description: 'Warm and calm' })];

    expect(await suggested(list, 'an')).toEqual([
      { name: 'Anna · Warm and calm', value: 'voice_Anna' },
      { name: 'Joan', value: 'voice_Joan' },
    ]);
  });

  test('shows unusual names unchanged, on one line and no longer than Discord allows', async () => {
    const list = [
      aVoice('@everyone'),
      aVoice('two\nlines\u202eback'),
      aVoice('😀'.repeat(90), { id: 'emoji' }),
      aVoice('unreachable', { id: 'x'.repeat(101) }),
      aVoice(' \n ', { id: 'blank' }),
    ];

    expect(await suggested(list, '')).toEqual([
      { name: '@everyone', value: 'voice_@everyone' },
      { name: 'two lines back', value: expect.any(String) },
      { name: `${'😀'.repeat(49)}…`, value: 'emoji' },
      { name: 'A voice without a name', value: 'blank' },
    ]);
  });
});

describe('/voices', () => {
  async function shows(list: readonly OfferedVoice[] | null): Promise<Stage & { reply: MessageView }> {
    const stage = await useVoices(list);
    const reply = await (await stage.ada.runs('/voices', { in: stage.channel })).replied();
    return { ...stage, reply };
  }

  test('shows names, descriptions and previews privately', async () => {
    const previewUrl = 'https://api.example/voices/1/preview(1).wav';
    const { reply, channel } = await shows([
      aVoice('Ann', { description: 'Warm', previewUrl }),
      aVoice('Bea'),
    ]);

    expect(reply.text).toContain('2 voices');
    expect(reply.text).toContain(
      '**Ann** · Warm · [listen](<https://api.example/voices/1/preview%281%29.wav>)\n**Bea**',
    );
    expect(reply.components).toEqual([]);
    expect(channel.messages).toEqual([]);
  });

  test.each<[string, readonly OfferedVoice[] | null, string]>([
    ['are not known yet', null, 'Try again in a minute.'],
    ['do not exist', [], 'has no voices to choose from'],
  ])('says so if the voices %s', async (_name, list, words) => {
    expect((await shows(list)).reply.text).toContain(words);
  });

  test('has page buttons that contain all their data, so that they work after a restart', async () => {
    const { ada, reply, restart } = await shows(manyVoices(26));
    expect(reply.text).toContain('Page 1 of 4');
    await expect(ada.presses('Back', { on: reply })).rejects.toThrow('no such button');

    await (await ada.presses('More', { on: reply })).acknowledged();
    await expect.poll(() => reply.text).toContain('Page 2 of 4');
    expect(reply.text).toContain('**Voice 008**');

    await restart(HANDLERS);
    await (await ada.presses('Back', { on: reply })).acknowledged();
    await expect.poll(() => reply.text).toContain('Page 1 of 4');
  });

  test('escapes markup, mentions and links in names', () => {
    const [embed] = voicesReply(
      [
        aVoice('@everyone <@1> [x](https://evil.example)', {
          description: '**b** # h\nhttps://evil.example',
        }),
      ],
      0,
    ).embeds;

    expect(embed?.description).not.toMatch(/@everyone|<@1>|https:\/\/|[^\\]\[x\]\(|\n#/);
    expect(embed?.description).toContain('\\*\\*b\\*\\*');
  });

  test('fits into one message whatever the names of the voices', () => {
    const worst = aVoice('*'.repeat(500), {
      description: '_'.repeat(5_000),
      previewUrl: `https://api.example/${'a'.repeat(180)}`,
    });

    for (const page of [0, 62, 9_999]) {
      const [embed] = voicesReply(
        Array.from({ length: 500 }, () => worst),
        page,
      ).embeds;
      expect(embed?.description?.length).toBeLessThanOrEqual(4_096);
      expect(embed?.footer?.text).toMatch(/^Page (1|63) of 63$/);
    }
  });
});
