import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../../../src/base/clock.ts';
import { silentLogger } from '../../../../src/base/log.ts';
import { DiscordModeratorNotes } from '../../../../src/bot/discord/cards/discord-moderator-notes.ts';
import { RequestGuard } from '../../../../src/bot/discord/wire/request-guard.ts';
import { type Bot, useBot } from '../use-bot.ts';
import type { ReportNote } from '../../../../src/bot/jobs/desk/moderator-notes.ts';

const NOTE: Omit<ReportNote, 'guildId'> = {
  reportId: 'report_a',
  jobId: 'job_a',
  reporterId: '5',
  ownerId: '6',
  capability: 'photo_swap',
  message: null,
};

async function tell(bot: Bot, postsMax: number): Promise<boolean> {
  const parts = { clock: systemClock, log: silentLogger };
  const guard = new RequestGuard({ rest: bot.client.rest, ...parts, progressMax: postsMax, postsMax });
  onTestFinished(() => guard[Symbol.dispose]());
  const channelOf = (): Promise<string> => Promise.resolve(bot.channel.id);
  const notes = new DiscordModeratorNotes({ client: bot.client, guard, ...parts, channelOf });
  return notes.notify({ ...NOTE, guildId: bot.guild.id });
}

test('moderators are notified of a report, but not while Discord rejects too many requests', async () => {
  const bot = await useBot();

  expect(await tell(bot, 0)).toBe(false);
  expect(bot.calls(/POST .*messages/)).toEqual([]);
  expect(await tell(bot, 1)).toBe(true);
  expect(bot.channel.messages.map(({ text }) => text)).toEqual([
    expect.stringContaining('A result was reported'),
  ]);
});
