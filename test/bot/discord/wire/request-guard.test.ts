import { type Client, Routes } from 'discord.js';
import { describe, expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../../../src/base/clock.ts';
import { FakeClock } from '../../../helpers/fake-clock.ts';
import { DiscordPublisher } from '../../../../src/bot/discord/cards/discord-publisher.ts';
import { RequestGuard } from '../../../../src/bot/discord/wire/request-guard.ts';
import type { FailureCard } from '../../../../src/bot/jobs/cards.ts';
import type { SandboxChannel } from '../../../../src/sandbox/script/sandbox-guild.ts';
import { type Bot, progressAt, recordingLogger, until, useBot } from '../use-bot.ts';
import { BUDGET } from '../use-intake.ts';
import { micros } from '../../../../src/base/money.ts';
import type { ReplyTarget } from '../../../../src/bot/jobs/reply-target.ts';

const CHANNELS = 50;
const NEVER = new AbortController().signal;
const FAILED: FailureCard = {
  kind: 'failure',
  capability: 'photo_swap',
  failure: { reason: 'internal' },
  canRetry: true,
  charged: micros(0),
  held: micros(60_000),
  startsReview: false,
  budget: BUDGET,
};

interface Guarded extends Bot {
  readonly guard: RequestGuard;
  readonly guarded: DiscordPublisher;
  readonly warnings: readonly string[];
}

async function useGuarded(
  clock: FakeClock,
  limits: Pick<ConstructorParameters<typeof RequestGuard>[0], 'progressMax' | 'postsMax'> = {},
): Promise<Guarded> {
  const bot = await useBot(clock);
  const warnings: string[] = [];
  const log = recordingLogger(warnings);
  const guard = new RequestGuard({ rest: bot.client.rest, clock, log, ...limits });
  onTestFinished(() => guard[Symbol.dispose]());
  const guarded = new DiscordPublisher({ client: bot.client, clock, log, guard });
  onTestFinished(() => guarded[Symbol.asyncDispose]());
  return { ...bot, guard, guarded, warnings };
}

/** Creates a card whose interaction has expired, so that only the bot's own token can edit it. */
async function aCard(bot: Bot, channel: SandboxChannel, jobId: string): Promise<ReplyTarget> {
  const there = await bot.client.channels.fetch(channel.id);
  if (!there?.isSendable()) throw new TypeError('Not a text channel');
  const { id: messageId } = await there.send('A card');
  return {
    jobId,
    applicationId: bot.sandbox.applicationId,
    guildId: bot.guild.id,
    channelId: channel.id,
    userId: bot.ada.id,
    interactionToken: 'over',
    tokenExpiresAtMs: 0,
    messageId,
    attachmentSizeLimitBytes: 10_000_000,
  };
}

async function refuse(client: Client, count: number): Promise<void> {
  for (let n = 0; n < count; n++) {
    await client.rest.get(Routes.channelMessages('1')).catch(() => undefined);
  }
}

describe('permission removed in 50 channels', () => {
  test(
    'costs each job two rejected requests, however much progress there is',
    { timeout: 60_000 },
    async () => {
      const clock = new FakeClock(systemClock.now());
      const bot = await useGuarded(clock);
      const channels = Array.from({ length: CHANNELS }, (_, n) => bot.guild.addTextChannel(`room-${n}`));
      const targets = await Promise.all(channels.map((channel, n) => aCard(bot, channel, `job_${n}`)));
      for (const channel of channels) channel.forbids('bot', 'VIEW_CHANNEL');
      // These rejections count towards Discord's overall limit for rejected requests.
      const refused = (): number => bot.exchanges.filter(({ status }) => status === 403).length;

      for (const stage of ['fetching', 'uploading', 'at_service'] as const) {
        for (const target of targets) bot.guarded.showProgress(target, progressAt(stage, clock));
        await until(() => refused() === CHANNELS);
        await clock.advance(5_000);
      }
      const published = await Promise.all(
        targets.map((target) => bot.guarded.publish(target, FAILED, NEVER)),
      );

      expect(published).toEqual(targets.map(() => ({ outcome: 'undeliverable', reason: 'missing_access' })));
      expect(refused()).toBe(2 * CHANNELS);
      bot.sandbox.takeViolations((violation) => violation.kind === 'rate_limited');
      expect(bot.sandbox.takeViolations()).toHaveLength(2 * CHANNELS);
    },
  );

  test('stops progress first, then everything except answers to interactions, and tries again later', async () => {
    const clock = new FakeClock(systemClock.now());
    const bot = await useGuarded(clock, { progressMax: 5, postsMax: 10 });
    const closed = bot.guild.addTextChannel('closed');
    const [target, other] = [await aCard(bot, bot.channel, 'job_a'), await aCard(bot, closed, 'job_b')];
    closed.forbids('bot', 'VIEW_CHANNEL');
    const refusal = (): Promise<unknown> => bot.client.rest.get(Routes.channelMessages(closed.id));
    const refused = async (count: number): Promise<void> => {
      for (let n = 0; n < count; n++) await expect(refusal()).rejects.toMatchObject({ status: 403 });
    };

    await refused(5);
    const before = bot.exchanges.length;
    bot.guarded.showProgress(target, progressAt('fetching', clock));
    await clock.advance(5_000);
    expect(bot.exchanges).toHaveLength(before);
    expect(await bot.guarded.publish(target, FAILED, NEVER)).toMatchObject({ outcome: 'posted' });

    await refused(5);
    const posts = bot.exchanges.length;
    await expect(bot.guarded.publish(other, FAILED, NEVER)).rejects.toMatchObject({ code: 'unreachable' });
    const posted = { channelId: closed.id, messageId: String(other.messageId) };
    await expect(bot.guarded.remove(posted, NEVER)).rejects.toMatchObject({ code: 'unreachable' });
    expect(bot.exchanges).toHaveLength(posts);
    expect((await bot.swaps()).state).not.toBe('failed');
    await until(() => bot.intake.record.length === 2);

    await clock.advance(30_000);
    expect(await bot.guarded.publish(target, FAILED, NEVER)).toMatchObject({ outcome: 'posted' });
    await expect(bot.guarded.publish(target, FAILED, NEVER)).rejects.toMatchObject({ code: 'unreachable' });

    await clock.advance(10 * 60_000);
    expect(bot.guard.allows('progress')).toBe(true);
    expect(bot.warnings).toEqual([
      'Discord refuses too many requests: less important ones are not sent',
      'Discord refuses too many requests: less important ones are not sent',
    ]);
    expect(bot.sandbox.takeViolations()).toHaveLength(10);
  });
});

describe('RequestGuard', () => {
  test('does not count limits that many bots share, nor missing objects', async () => {
    const clock = new FakeClock(systemClock.now());
    const bot = await useGuarded(clock, { progressMax: 1 });
    const shared = { 'x-ratelimit-scope': 'shared', 'retry-after': '0.01' };
    const body = { message: 'Limited', retry_after: 0.01, global: false };
    bot.sandbox.faults.failNext({ status: 429, headers: shared, body });

    await refuse(bot.client, 3);
    expect(bot.exchanges.slice(-4).map(({ status }) => status)).toEqual([429, 404, 404, 404]);
    expect(bot.guard.allows('progress')).toBe(true);

    bot.sandbox.faults.failNext({ status: 429, headers: { ...shared, 'x-ratelimit-scope': 'user' }, body });
    await refuse(bot.client, 1);
    expect(bot.guard.allows('progress')).toBe(false);
  });

  test('adds one listener to the REST client, and removes it again', async () => {
    const bot = await useBot();
    const before = bot.client.rest.listenerCount('response');

    const guard = new RequestGuard({ rest: bot.client.rest, clock: systemClock, log: recordingLogger([]) });
    expect(bot.client.rest.listenerCount('response')).toBe(before + 1);
    guard[Symbol.dispose]();

    expect(bot.client.rest.listenerCount('response')).toBe(before);
    expect(bot.client.listenerCount('interactionCreate')).toBe(1);
  });
});
