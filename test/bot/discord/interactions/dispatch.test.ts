import type { Interaction } from 'discord.js';
import { describe, expect, test } from 'vitest';
import { photoSwap } from '../../../../commands/photo-swap.ts';
import { systemClock } from '../../../../src/base/clock.ts';
import { ServiceError } from '../../../../src/base/errors.ts';
import { FakeClock } from '../../../helpers/fake-clock.ts';
import { silentLogger } from '../../../../src/base/log.ts';
import { micros } from '../../../../src/base/money.ts';
import { Dispatch } from '../../../../src/bot/discord/interactions/dispatch.ts';
import type { CapView } from '../../../../src/bot/money/caps/cap.ts';
import { gate, until, useBot } from '../use-bot.ts';
import { BUDGET, MemoryIntake } from '../use-intake.ts';
import { servicesOf } from '../use-services.ts';

describe('Dispatch', () => {
  test('turns a command into a job request with all its data', async () => {
    const bot = await useBot();

    const use = await bot.swaps();
    await until(() => bot.intake.record.length === 2);

    const request = bot.intake.requests[0];
    expect(request).toEqual({
      interactionId: use.id,
      capability: 'photo_swap',
      applicationId: bot.sandbox.applicationId,
      guildId: bot.guild.id,
      channelId: bot.channel.id,
      userId: bot.ada.id,
      interactionToken: use.interaction.token,
      receivedAtMs: expect.any(Number),
      attachmentSizeLimitBytes: 10 * 1024 * 1024,
      parentChannelIds: [],
      isAgeRestricted: false,
      roleIds: [bot.guild.id],
      isAdmin: false,
      isModerator: false,
      isVoiceModerator: false,
      locale: 'en-US',
      parameters: {},
      inputs: [
        {
          field: 'image_key',
          option: 'image',
          kind: 'image',
          source: {
            from: 'chat',
            url: expect.stringContaining(`http://${bot.sandbox.cdnHost}/ephemeral-attachments/`),
            sizeBytes: 9,
          },
        },
        expect.objectContaining({
          field: 'face_key',
          option: 'face',
          source: expect.objectContaining({ sizeBytes: 6 }),
        }),
      ],
    });
    expect(Math.abs((request?.receivedAtMs ?? 0) - systemClock.now())).toBeLessThan(5_000);
  });

  test('stores the job, acknowledges it at Discord, and passes the deferred reply to the intake', async () => {
    const bot = await useBot();

    const use = await bot.swaps();
    await until(() => bot.intake.record.length === 2);

    const { jobId, messageId } = bot.intake.target;
    expect(bot.intake.record).toEqual([`accepted ${jobId}`, `acknowledged ${jobId}`]);
    expect(messageId).toBe(use.interaction.original?.id);
    expect(use.state).toBe('deferred');
    expect(bot.calls(/callback/)).toHaveLength(1);
  });

  test('acknowledges while the intake is still working', async () => {
    const bot = await useBot();
    const { promise, resolve } = gate();
    bot.intake.holdUp(() => promise);

    const use = await bot.swaps();
    await use.acknowledged({ withinMs: 1_000 });
    expect(bot.intake.record).toEqual([]);
    resolve();
    await until(() => bot.intake.record.length === 2);

    expect(bot.intake.record[1]).toMatch(/^acknowledged/);
  });

  test('answers an interaction that arrives twice only once', async () => {
    const bot = await useBot();
    bot.sandbox.faults.duplicateDispatch();

    const use = await bot.swaps();
    await until(() => bot.intake.record.length === 2);
    use.repeats();
    const second = await bot.swaps();
    await until(() => bot.intake.record.length === 4);

    expect(bot.calls(/callback/)).toHaveLength(2);
    expect(bot.intake.requests.map((request) => request.interactionId)).toEqual([use.id, second.id]);
  });

  test('shows why a command was not accepted', async () => {
    const bot = await useBot();
    const cap: CapView = {
      ...BUDGET,
      target: { kind: 'guild' },
      capability: null,
      posted: micros(4_995_000),
      pending: micros(0),
      left: micros(5_000),
      startsAtMs: 0,
    };
    bot.intake.refuse({ reason: 'budget', price: micros(16_000), needed: micros(20_000), cap });

    const reply = await (await bot.swaps()).replied();

    expect(reply.embeds[0]).toMatchObject({
      title: 'Photo Swap: not enough of the monthly budget left',
      description: expect.stringMatching(
        /\$0\.02.*\$0\.005.*\$5\.00[^]*<t:1769904000:F>[^]*Nothing was charged\.$/,
      ),
    });
    expect(bot.intake.record).toEqual([]);
  });

  test('apologises for an unexpected error with a code that is also in the log', async () => {
    const bot = await useBot();
    bot.intake.holdUp(() => Promise.reject(new TypeError('secret detail')));

    const reply = await (await bot.swaps()).replied();

    const [, reference] = /`(e_[a-z2-7]{10})`/.exec(reply.text) ?? [];
    expect(reply.text).not.toContain('secret detail');
    expect(bot.logged).toEqual([`A command failed unexpectedly | secret detail | ${reference}`]);
  });

  test('shows the message of an expected error', async () => {
    const bot = await useBot();
    const options = { userMessage: 'Swaps are paused until noon.' };
    bot.intake.holdUp(() => Promise.reject(new ServiceError('paused', 'Cannot accept: paused', options)));

    const reply = await (await bot.swaps()).replied();

    expect(reply.text).toContain('Swaps are paused until noon.');
    expect(bot.logged).toEqual([]);
  });

  test('mentions nobody, whatever a text contains', async () => {
    const bot = await useBot();
    const options = { userMessage: 'Hello @everyone' };
    bot.intake.holdUp(() => Promise.reject(new ServiceError('x', 'x', options)));

    const reply = await (await bot.swaps()).replied();

    expect(reply.mentions).toEqual([]);
    for (const { requestBody } of bot.exchanges.filter((exchange) => exchange.method === 'PATCH')) {
      expect(requestBody).toMatchObject({ allowed_mentions: { parse: [] } });
    }
  });
});

describe('Dispatch, when the acknowledgement fails', () => {
  const callback = { method: 'POST', route: '/interactions/:interactionId/:token/callback' } as const;

  test.each([
    ['came too late', { status: 404, body: { code: 10062, message: 'Unknown interaction' } }],
    ['was already given by another process', { status: 400, body: { code: 40060, message: 'Acknowledged' } }],
    ['did not arrive', { status: 'cut' }],
    ['failed with a server error', { status: 500, times: 4 }],
  ] as const)('abandons the job when it %s', async (_what, fault) => {
    const bot = await useBot();
    bot.sandbox.faults.failNext({ ...callback, ...fault });

    await bot.swaps();
    await until(() => bot.intake.record.length === 2);

    expect(bot.intake.record[1]).toMatch(/^abandoned job_/);
    // In the sandbox, it is a violation to look up a deferred reply that does not exist.
    bot.sandbox.takeViolations((violation) => violation.what.startsWith('GET /webhooks'));
  });

  test('continues when only the answer was lost and the member sees that the bot works', async () => {
    const bot = await useBot();
    bot.sandbox.faults.failNext({ ...callback, status: 'cut', moment: 'after' });

    const use = await bot.swaps();
    await until(() => bot.intake.record.length === 2);

    expect(bot.intake.record[1]).toMatch(/^acknowledged job_/);
    expect(bot.intake.target.messageId).toBe(use.interaction.original?.id);
  });

  test('continues when Discord answers its repeated request that the first one succeeded', async () => {
    const bot = await useBot();
    bot.sandbox.faults.failNext({ ...callback, status: 500, moment: 'after' });

    const use = await bot.swaps();
    await until(() => bot.intake.record.length === 2);

    expect(bot.intake.record[1]).toMatch(/^acknowledged job_/);
    expect(use.state).toBe('deferred');
    expect(bot.sandbox.takeViolations().map((violation) => violation.detail)).toEqual([
      expect.stringContaining('40060'),
    ]);
  });
});

describe('Dispatch, when the intake hangs', () => {
  test('notifies the member, and does not start a job that is accepted afterwards', async () => {
    const clock = new FakeClock(systemClock.now());
    const bot = await useBot(clock);
    const { promise, resolve } = gate();
    bot.intake.holdUp(() => promise);

    const use = await bot.swaps();
    await use.acknowledged();
    await clock.advance(30_000);
    const reply = await use.replied();
    expect(bot.intake.record).toEqual([]);
    resolve();
    await until(() => bot.intake.record.length === 2);

    expect(reply.text).toContain('Something went wrong');
    expect(bot.intake.record[1]).toMatch(/^abandoned job_/);
  });
});

describe("Dispatch, beside the host's own bot", () => {
  test("leaves the host's own commands to the host", async () => {
    const bot = await useBot();
    await bot.client.application.commands.create({ name: 'ping', description: 'Host command' });
    const seen: string[] = [];
    bot.client.on('interactionCreate', (interaction: Interaction) => {
      if (!interaction.isChatInputCommand() || interaction.commandName !== 'ping') return;
      seen.push(interaction.commandName);
      void interaction.reply('pong');
    });

    const reply = await (await bot.ada.runs('/ping', { in: bot.channel })).replied();

    expect(reply.content).toBe('pong');
    expect(seen).toEqual(['ping']);
    expect(bot.intake.requests).toEqual([]);
    expect(bot.logged).toEqual([]);
  });

  test("leaves a host's command with the same name to the host once the ids are known", async () => {
    const bot = await useBot();
    bot.dispatch.expectIds(['1']);
    bot.client.on('interactionCreate', (interaction: Interaction) => {
      if (interaction.isChatInputCommand()) void interaction.reply('from the host');
    });

    const reply = await (await bot.swaps()).replied();

    expect(reply.content).toBe('from the host');
    expect(bot.intake.requests).toEqual([]);
  });

  test('adds one listener, and removes it again', async () => {
    const bot = await useBot();
    const before = bot.client.eventNames().map((name) => [name, bot.client.listenerCount(name)]);

    const second = new Dispatch({
      client: bot.client,
      commands: [photoSwap],
      services: servicesOf(new MemoryIntake()),
      clock: systemClock,
      log: silentLogger,
    });
    expect(bot.client.listenerCount('interactionCreate')).toBe(2);
    await second[Symbol.asyncDispose]();

    expect(bot.client.eventNames().map((name) => [name, bot.client.listenerCount(name)])).toEqual(before);
  });

  test('finishes running answers before it is disposed', async () => {
    const bot = await useBot();
    const { promise, resolve } = gate();
    bot.intake.holdUp(() => promise);
    await (await bot.swaps()).acknowledged();

    const gone = bot.dispatch[Symbol.asyncDispose]();
    resolve();
    await gone;

    expect(bot.intake.record).toEqual([
      expect.stringMatching(/^accepted/),
      expect.stringMatching(/^acknowledged/),
    ]);
  });
});
