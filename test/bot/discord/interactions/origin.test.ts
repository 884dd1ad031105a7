import type { Interaction } from 'discord.js';
import { describe, expect, test } from 'vitest';
import { type CommandCall, IN_SERVERS_ONLY } from '../../../../src/bot/discord/command.ts';
import { parseOrigin } from '../../../../src/bot/discord/interactions/parse-origin.ts';
import { sentenceReply } from '../../../../src/bot/discord/words/replies/replies.ts';
import { only } from '../../../helpers/only.ts';
import { useHandlers } from '../use-handlers.ts';
import type { CallOrigin } from '../../../../src/bot/jobs/call-origin.ts';

/** Returns where a command was used, given the `channel` that Discord sends, in a guild that is not cached. */
function originIn(channel: object | null): CallOrigin {
  const interaction = {
    id: '1',
    applicationId: '2',
    guildId: '3',
    channelId: '4',
    channel,
    user: { id: '5' },
    member: { roles: [] },
    memberPermissions: null,
    locale: 'en-US',
    token: 'token',
    attachmentSizeLimit: 10_000_000,
    inCachedGuild: () => false,
    inRawGuild: () => true,
  };
  return parseOrigin(only<Interaction>(interaction as unknown as Partial<Interaction>), 0);
}

describe('where a command is used', () => {
  const text = { isThread: (): boolean => false, parentId: '30', nsfw: true };

  test.each([
    [
      'a thread, its channel and the category',
      { isThread: (): boolean => true, parentId: '4', parent: text },
      ['4', '30'],
    ],
    ['a channel and its category', text, ['30']],
    ['a channel without a category', { ...text, parentId: null }, []],
  ])('is known in full: %s', (_what, channel, parentChannelIds) => {
    expect(originIn(channel)).toMatchObject({ parentChannelIds, isAgeRestricted: true });
  });

  test('is not known for a private thread that the bot cannot see', () => {
    expect(originIn(null)).toMatchObject({ parentChannelIds: null, isAgeRestricted: false });
  });
});

test('only a member who moderates the whole server is a moderator, not one who moderates a channel', async () => {
  const calls: CommandCall[] = [];
  const { ada, guild, channel } = await useHandlers({
    commands: [
      {
        data: { name: 'who', description: 'Who asks', ...IN_SERVERS_ONLY },
        execute: (call) => {
          calls.push(call);
          return Promise.resolve({ kind: 'reply', reply: sentenceReply('You') });
        },
      },
    ],
  });
  const moderators = guild.addRole('Moderators', 'MANAGE_MESSAGES');
  const uses = async (): Promise<void> => void (await (await ada.runs('/who', { in: channel })).replied());

  channel.permits(ada, 'MANAGE_MESSAGES');
  await uses();
  ada.hasRoles(moderators);
  await uses();

  expect(calls.map(({ origin }) => origin.isModerator)).toEqual([false, true]);
});
