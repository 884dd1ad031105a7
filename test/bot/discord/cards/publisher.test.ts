import { describe, expect, test } from 'vitest';
import { systemClock } from '../../../../src/base/clock.ts';
import { FakeClock } from '../../../helpers/fake-clock.ts';
import { ZERO, micros } from '../../../../src/base/money.ts';
import { cardNonce } from '../../../../src/bot/discord/words/replies/cards.ts';
import type { FailureCard, PriceCard } from '../../../../src/bot/jobs/cards.ts';
import { RESULT_BYTES, progressAt, until, useAcceptedJob, useResult } from '../use-bot.ts';
import { BUDGET } from '../use-intake.ts';
import type { AskOptions } from '../../../../src/bot/jobs/job-publisher.ts';

const NEVER = new AbortController().signal;
const FAILURE: FailureCard = {
  kind: 'failure',
  capability: 'photo_swap',
  failure: { reason: 'job', code: 'face_not_detected' },
  canRetry: false,
  charged: ZERO,
  held: micros(60_000),
  startsReview: false,
  budget: BUDGET,
};
const EDIT_ORIGINAL = {
  method: 'PATCH',
  route: '/webhooks/:applicationId/:token/messages/:messageId',
} as const;
const CREATE = { method: 'POST', route: '/channels/:channelId/messages' } as const;

const QUESTION: PriceCard = {
  capability: 'photo_swap',
  price: micros(920_000),
  held: micros(60_000),
  lengths: [],
  budget: BUDGET,
  overrun: null,
  endsAtMs: 0,
};
const NEEDED: AskOptions = { isTrue: () => Promise.resolve(true), signal: NEVER };

describe('ask', () => {
  test('replaces the progress with the question, and later the question with progress', async () => {
    const { publisher, intake, use, channel } = await useAcceptedJob();
    publisher.showProgress(intake.target, progressAt('fetching', systemClock));

    const asked = await publisher.ask(intake.target, QUESTION, NEEDED);
    expect(asked).toEqual({ outcome: 'posted', messageId: use.reply?.id });
    expect(use.reply?.text).toContain('go on for about $0.92?');

    publisher.showProgress(intake.target, progressAt('fetching', systemClock));
    await use.replyWhere(({ text }) => text.includes('Getting your files'));
    expect(channel.messages).toHaveLength(1);
  });

  test('finds its message by channel after the interaction token has expired', async () => {
    const clock = new FakeClock(systemClock.now());
    const { publisher, intake, channel, calls } = await useAcceptedJob(clock);
    await clock.advance(16 * 60_000);

    await publisher.ask(intake.target, QUESTION, NEEDED);

    expect(channel.messages).toHaveLength(1);
    expect(channel.messages[0]?.text).toContain('go on for about $0.92?');
    expect(calls(/^PATCH \/channels/)).toHaveLength(1);
  });

  test('does not ask a question that no longer needs an answer', async () => {
    const { publisher, intake, use } = await useAcceptedJob();
    await publisher.publish(intake.target, FAILURE, NEVER);

    const isTrue = (): Promise<boolean> => Promise.resolve(false);
    expect(await publisher.ask(intake.target, QUESTION, { ...NEEDED, isTrue })).toEqual({
      outcome: 'outdated',
    });

    expect(use.reply?.text).toContain('no face found');
  });

  test('returns that the chat does not accept the question', async () => {
    const { publisher, intake, sandbox } = await useAcceptedJob();
    sandbox.faults.failNext({ ...EDIT_ORIGINAL, status: 404, body: { code: 10003, message: 'No' } });

    const asked = await publisher.ask(intake.target, QUESTION, NEEDED);
    expect(asked).toEqual({ outcome: 'undeliverable', reason: 'channel_gone' });
  });

  test('throws when the chat cannot be reached, and asks the next time', async () => {
    const { publisher, intake, sandbox, use } = await useAcceptedJob();
    sandbox.faults.failNext({ ...EDIT_ORIGINAL, status: 'cut' });

    await expect(publisher.ask(intake.target, QUESTION, NEEDED)).rejects.toThrow('publish a card');
    await publisher.ask(intake.target, QUESTION, NEEDED);

    expect(use.reply?.text).toContain('go on for about $0.92?');
  });
});

describe('publish', () => {
  test('replaces the deferred reply with the result and its file', async () => {
    const { publisher, intake, use, channel } = await useAcceptedJob();

    const published = await publisher.publish(intake.target, await useResult(), NEVER);

    const reply = use.reply;
    expect(published).toEqual({ outcome: 'posted', messageId: reply?.id });
    expect(reply?.attachments[0]).toMatchObject({
      filename: 'photo-swap.png',
      description: 'AI-altered media',
    });
    expect(new TextDecoder().decode(reply?.attachments[0]?.bytes())).toBe(RESULT_BYTES);
    expect(reply?.text).toMatch(/AI-altered media.*\$0\.02.*\$4\.98 of \$5\.00/s);
    expect(reply?.mentions).toEqual([]);
    expect(channel.messages).toHaveLength(1);
  });

  test('replaces the deferred reply with a failure', async () => {
    const { publisher, intake, use } = await useAcceptedJob();

    await publisher.publish(intake.target, FAILURE, NEVER);

    expect(use.reply?.text).toMatch(/no face found.*Nothing was charged\./s);
  });

  test('leaves one message with one file, however often it is called', async () => {
    const { publisher, intake, channel } = await useAcceptedJob();
    const card = await useResult();

    const both = [
      publisher.publish(intake.target, card, NEVER),
      publisher.publish(intake.target, card, NEVER),
    ];
    const [first, second] = await Promise.all(both);

    expect(second).toEqual(first);
    expect(channel.messages).toHaveLength(1);
    expect(channel.messages[0]?.attachments).toHaveLength(1);
  });

  test('delivers a job of 40 minutes in the one message that showed its progress', async () => {
    const clock = new FakeClock(systemClock.now());
    const { publisher, intake, channel, exchanges, calls } = await useAcceptedJob(clock);
    const acceptedAtMs = clock.now();
    for (const [minute, stage] of [
      [0, 'fetching'],
      [14, 'uploading'],
      [16, 'at_service'],
      [39, 'collecting'],
    ] as const) {
      await clock.advance(acceptedAtMs + minute * 60_000 - clock.now());
      const before = exchanges.length;
      publisher.showProgress(intake.target, { ...progressAt(stage, clock), acceptedAtMs });
      await until(() => exchanges.length > before);
    }
    await clock.advance(60_000);

    const published = await publisher.publish(intake.target, await useResult(), NEVER);

    expect(published).toMatchObject({ outcome: 'posted' });
    expect(channel.messages.map(({ attachments }) => attachments.length)).toEqual([1]);
    expect(calls(/^PATCH \/webhooks/)).toHaveLength(2);
    expect(calls(/^PATCH \/channels/)).toHaveLength(3);
  });

  test('uses the bot token when the interaction token is about to expire', async () => {
    const clock = new FakeClock(systemClock.now());
    const { publisher, intake, channel, use, calls } = await useAcceptedJob(clock);
    await clock.advance(14.6 * 60_000);

    const published = await publisher.publish(intake.target, await useResult(), NEVER);

    expect(published).toEqual({ outcome: 'posted', messageId: use.interaction.original?.id });
    expect(channel.messages).toHaveLength(1);
    expect(calls(/^PATCH \/webhooks/)).toEqual([]);
    expect(calls(/^(PATCH|POST) \/channels/)).toHaveLength(1);
  });

  test('uses the bot token when Discord reports that the interaction token has expired', async () => {
    const { publisher, intake, channel, sandbox } = await useAcceptedJob();
    sandbox.faults.failNext({
      ...EDIT_ORIGINAL,
      status: 401,
      body: { code: 50027, message: 'Invalid Webhook Token' },
    });

    const published = await publisher.publish(intake.target, await useResult(), NEVER);

    expect(published.outcome).toBe('posted');
    expect(channel.messages).toHaveLength(1);
  });

  test('posts a new message with the nonce of the job when the reply was deleted', async () => {
    const { publisher, intake, channel, client, exchanges, use } = await useAcceptedJob();
    await client.rest.delete(`/channels/${channel.id}/messages/${use.interaction.original?.id}`);

    const published = await publisher.publish(intake.target, await useResult(), NEVER);

    expect(published).toEqual({ outcome: 'posted', messageId: channel.messages[0]?.id });
    expect(channel.messages[0]?.attachments).toHaveLength(1);
    const post = exchanges.find(({ method, path }) => method === 'POST' && path.endsWith('/messages'));
    expect(post?.requestBody).toMatchObject({ nonce: cardNonce(intake.target.jobId), enforce_nonce: true });
  });

  test('posts a new message when the token has expired and the reply was never known', async () => {
    const clock = new FakeClock(systemClock.now());
    const { publisher, intake, channel } = await useAcceptedJob(clock);
    await clock.advance(40 * 60_000);
    const target = { ...intake.target, messageId: null };

    const published = await publisher.publish(target, await useResult(), NEVER);

    expect(published).toEqual({ outcome: 'posted', messageId: channel.messages[0]?.id });
    expect(channel.messages).toHaveLength(1);
  });

  test('edits the card that shows progress instead of posting another message', async () => {
    const clock = new FakeClock(systemClock.now());
    const { publisher, intake, channel, use } = await useAcceptedJob(clock);
    publisher.showProgress(intake.target, progressAt('fetching', clock));
    await use.replied();
    await clock.advance(20 * 60_000);

    const published = await publisher.publish(
      { ...intake.target, messageId: null },
      await useResult(),
      NEVER,
    );

    expect(published).toEqual({ outcome: 'posted', messageId: use.interaction.original?.id });
    expect(channel.messages).toHaveLength(1);
    expect(channel.messages[0]?.attachments).toHaveLength(1);
  });

  test('finds its own post of hours ago in a busy channel, after a crash before it was recorded', async () => {
    const clock = new FakeClock(systemClock.now());
    const { publisher, intake, channel, ada, calls } = await useAcceptedJob(clock);
    await clock.advance(20 * 60_000);
    const target = { ...intake.target, messageId: null };
    const card = await useResult();
    const first = await publisher.publish(target, card, NEVER);
    await clock.advance(60 * 60_000);
    for (let i = 0; i < 150; i++) await ada.says(`message ${i}`, { in: channel });

    const second = await publisher.publish(target, card, NEVER);

    expect(second).toEqual(first);
    expect(calls(/^POST \/channels/)).toHaveLength(1);
  });

  test('leaves one message when Discord reports an error although the request took effect', async () => {
    const clock = new FakeClock(systemClock.now());
    const { publisher, intake, channel, sandbox, calls } = await useAcceptedJob(clock);
    await clock.advance(20 * 60_000);
    sandbox.faults.failNext({ ...CREATE, status: 500, moment: 'after' });

    const published = await publisher.publish(
      { ...intake.target, messageId: null },
      await useResult(),
      NEVER,
    );

    expect(published).toEqual({ outcome: 'posted', messageId: channel.messages[0]?.id });
    expect(channel.messages).toHaveLength(1);
    expect(calls(/^POST \/channels/)).toHaveLength(2);
  });

  test('treats a post whose message was deleted meanwhile as shown and does not post again', async () => {
    const clock = new FakeClock(systemClock.now());
    const { publisher, intake, channel, client } = await useAcceptedJob(clock);
    await clock.advance(20 * 60_000);
    const target = { ...intake.target, messageId: null };
    const first = await publisher.publish(target, FAILURE, NEVER);
    const messageId = first.outcome === 'posted' ? first.messageId : '';
    await client.rest.delete(`/channels/${channel.id}/messages/${messageId}`);

    const second = await publisher.publish(target, FAILURE, NEVER);

    expect(second).toEqual({ outcome: 'undeliverable', reason: 'message_deleted' });
    expect(channel.messages).toEqual([]);
  });

  test.each([
    [403, 50001, 'missing_access'],
    [403, 50013, 'missing_permission'],
    [404, 10003, 'channel_gone'],
    [404, 10004, 'guild_gone'],
    [403, 50007, 'cannot_message_user'],
    [403, 50278, 'no_shared_guild'],
  ])('gives up after %i with code %i', async (status, code, reason) => {
    const { publisher, intake, sandbox, calls } = await useAcceptedJob();
    sandbox.faults.failNext({ ...EDIT_ORIGINAL, status, body: { code, message: 'No' } });

    const published = await publisher.publish(intake.target, await useResult(), NEVER);

    expect(published).toEqual({ outcome: 'undeliverable', reason });
    expect(calls(/^PATCH/)).toHaveLength(1);
  });

  test.each([
    [200000, 'blocked_by_automod'],
    [20009, 'explicit_content'],
  ])(
    'does not retry a card that a filter rejected with %i, and notifies the member',
    async (code, reason) => {
      const { publisher, intake, sandbox, use, calls } = await useAcceptedJob();
      sandbox.faults.failNext({ ...EDIT_ORIGINAL, status: 400, body: { code, message: 'No' } });

      const published = await publisher.publish(intake.target, await useResult(), NEVER);

      expect(published).toEqual({ outcome: 'undeliverable', reason });
      expect(calls(/^PATCH/)).toHaveLength(2);
      expect(use.reply?.attachments).toEqual([]);
      expect(use.reply?.text).toContain('`/jobs show` brings it to you alone');
    },
  );

  test('deletes a message, and succeeds if it is already gone', async () => {
    const { publisher, intake, channel } = await useAcceptedJob();
    const published = await publisher.publish(intake.target, await useResult(), NEVER);
    if (published.outcome !== 'posted') throw new Error('Nothing was posted');
    const message = { channelId: channel.id, messageId: published.messageId };

    expect(await publisher.remove(message, NEVER)).toBe(true);
    expect(channel.messages).toEqual([]);
    expect(await publisher.remove(message, NEVER)).toBe(true);
  });

  test('does not post in a channel where the bot has lost its permission', async () => {
    const clock = new FakeClock(systemClock.now());
    const { publisher, intake, sandbox, channel } = await useAcceptedJob(clock);
    await clock.advance(20 * 60_000);
    channel.forbids('bot', 'SEND_MESSAGES');

    const published = await publisher.publish(
      { ...intake.target, messageId: null },
      await useResult(),
      NEVER,
    );

    expect(published).toEqual({ outcome: 'undeliverable', reason: 'missing_permission' });
    expect(sandbox.takeViolations()).toHaveLength(1);
  });

  test.each([
    ['the channel states it', 0, []],
    ['only Discord knows it', 20 * 1024 * 1024, [expect.stringContaining('40005')]],
  ])(
    'replaces the card with a message that the result is too large, and reports that: %s',
    async (_when, attachmentSizeLimitBytes, refusals) => {
      const { publisher, intake, sandbox, use } = await useAcceptedJob();
      const card = await useResult(new Uint8Array(11 * 1024 * 1024));
      const target = {
        ...intake.target,
        ...(attachmentSizeLimitBytes > 0 ? { attachmentSizeLimitBytes } : {}),
      };

      const published = await publisher.publish(target, card, NEVER);

      expect(published).toMatchObject({ outcome: 'posted' });
      expect(use.reply?.text).toContain('larger than Discord lets a bot post here');
      expect(sandbox.takeViolations().map((violation) => violation.detail)).toEqual(refusals);
    },
  );

  test.each([
    ['has an internal error', { status: 503, times: 4 }],
    ['does not answer', { status: 'cut' }],
  ] as const)('requests a retry when Discord %s, and the retry succeeds', async (_what, fault) => {
    const { publisher, intake, sandbox, use } = await useAcceptedJob();
    const card = await useResult();
    sandbox.faults.failNext({ ...EDIT_ORIGINAL, ...fault });

    const error = await publisher.publish(intake.target, card, NEVER).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'unreachable' });
    expect(JSON.stringify([error, String(error)])).not.toContain(use.interaction.token);
    await publisher.publish(intake.target, card, NEVER);

    expect(use.reply?.attachments).toHaveLength(1);
  });

  test('stops when its signal aborts', async () => {
    const { publisher, intake } = await useAcceptedJob();

    const stopped = publisher.publish(intake.target, FAILURE, AbortSignal.abort(new Error('Shutting down')));

    await expect(stopped).rejects.toThrow('Shutting down');
  });
});

describe('showProgress', () => {
  test('edits at once, then at most every five seconds, always with the newest stage', async () => {
    const clock = new FakeClock(systemClock.now());
    const { publisher, intake, use } = await useAcceptedJob(clock);
    const acceptedAt = progressAt('fetching', clock);
    const show = (stage: 'fetching' | 'uploading' | 'at_service'): void =>
      publisher.showProgress(intake.target, { ...acceptedAt, stage });

    show('fetching');
    await use.replyWhere((message) => message.text.includes('step 1 of 4'));
    show('uploading');
    show('at_service');
    await clock.advance(4_999);
    expect(use.reply?.history).toHaveLength(2);
    await clock.advance(1);
    const reply = await use.replyWhere((message) => message.text.includes('step 3 of 4'));

    expect(reply.history.map(({ atMs }) => atMs - acceptedAt.acceptedAtMs)).toEqual([0, 0, 5_000]);
  });

  test('does not send progress that is outdated when its turn comes', async () => {
    const clock = new FakeClock(systemClock.now());
    const { publisher, intake, use } = await useAcceptedJob(clock);
    let isUnderWay = true;
    const show = (stage: 'fetching' | 'uploading'): void =>
      publisher.showProgress(intake.target, progressAt(stage, clock), () => Promise.resolve(isUnderWay));

    show('fetching');
    await use.replyWhere((message) => message.text.includes('step 1 of 4'));
    show('uploading');
    isUnderWay = false;
    await clock.advance(5_000);
    // This card is sent after all earlier requests.
    await publisher.publish(intake.target, await useResult(), NEVER);

    expect(use.reply?.history.map(({ filenames }) => filenames)).toEqual([[], [], ['photo-swap.png']]);
  });

  test('never overwrites the final card, even if its edit was in progress', async () => {
    const clock = new FakeClock(systemClock.now());
    const { publisher, intake, use } = await useAcceptedJob(clock);
    const card = await useResult();

    publisher.showProgress(intake.target, progressAt('fetching', clock));
    publisher.showProgress(intake.target, progressAt('collecting', clock));
    const published = publisher.publish(intake.target, card, NEVER);
    publisher.showProgress(intake.target, progressAt('collecting', clock));
    await published;
    publisher.showProgress(intake.target, progressAt('collecting', clock));
    await clock.advance(5_000);
    // This card is sent after all earlier requests.
    await publisher.publish(intake.target, card, NEVER);

    const file = 'photo-swap.png';
    expect(use.reply?.history.map(({ filenames }) => filenames)).toEqual([[], [], [file], [file]]);
    expect(clock.pendingTimers).toBe(0);
  });

  test('sends nothing after it is disposed', async () => {
    const clock = new FakeClock(systemClock.now());
    const { publisher, intake, use } = await useAcceptedJob(clock);
    publisher.showProgress(intake.target, progressAt('fetching', clock));
    await use.replyWhere((message) => message.text.includes('step 1 of 4'));
    publisher.showProgress(intake.target, progressAt('uploading', clock));

    await publisher[Symbol.asyncDispose]();
    publisher.showProgress(intake.target, progressAt('at_service', clock));
    await clock.advance(60_000);

    expect(use.reply?.history).toHaveLength(2);
  });

  test('does not repeat progress that is already shown', async () => {
    const clock = new FakeClock(systemClock.now());
    const { publisher, intake, use, calls } = await useAcceptedJob(clock);
    const progress = progressAt('at_service', clock);

    for (let i = 0; i < 5; i++) {
      publisher.showProgress(intake.target, progress);
      await use.replied();
      await clock.advance(10_000);
    }
    await publisher.publish(intake.target, FAILURE, NEVER);

    expect(calls(/^PATCH/)).toHaveLength(2);
  });

  test('continues after an error, which is logged and not thrown', async () => {
    const clock = new FakeClock(systemClock.now());
    const { publisher, intake, sandbox, use, logged } = await useAcceptedJob(clock);
    sandbox.faults.failNext({ ...EDIT_ORIGINAL, status: 'cut' });

    publisher.showProgress(intake.target, progressAt('fetching', clock));
    await until(() => logged.length === 1);
    await clock.advance(5_000);
    publisher.showProgress(intake.target, progressAt('uploading', clock));
    await use.replyWhere((message) => message.text.includes('step 2 of 4'));

    expect(logged[0]).toMatch(/^Cannot show progress \| /);
    expect(logged[0]).not.toContain(use.interaction.token);
  });

  test('sends no more requests after Discord has rejected one', async () => {
    const clock = new FakeClock(systemClock.now());
    const { publisher, intake, sandbox, logged, calls } = await useAcceptedJob(clock);
    sandbox.faults.failNext({ ...EDIT_ORIGINAL, status: 403, body: { code: 50001, message: 'No' } });

    publisher.showProgress(intake.target, progressAt('fetching', clock));
    await until(() => logged.length === 1);
    publisher.showProgress(intake.target, progressAt('uploading', clock));
    await clock.advance(5_000);
    await publisher.publish(intake.target, FAILURE, NEVER);

    expect(calls(/^PATCH/)).toHaveLength(2);
  });

  test('stops before Discord limits edits of old messages', async () => {
    const clock = new FakeClock(systemClock.now());
    const { publisher, intake, calls } = await useAcceptedJob(clock);
    const progress = progressAt('at_service', clock);
    await clock.advance(56 * 60_000);

    publisher.showProgress(intake.target, progress);
    await publisher.publish(intake.target, FAILURE, NEVER);

    expect(calls(/^PATCH/)).toHaveLength(1);
  });
});
