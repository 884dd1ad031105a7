import { describe, expect, test } from 'vitest';
import { jobs } from '../../commands/jobs/jobs.ts';
import { pageButton, retryButton } from '../../commands/jobs/result-buttons.ts';
import { systemClock } from '../../src/base/clock.ts';
import { micros } from '../../src/base/money.ts';
import { shownReply } from '../../src/bot/discord/words/replies/desk-replies.ts';
import { deskWith } from '../bot/discord/use-services.ts';
import { useHandlers } from '../bot/discord/use-handlers.ts';
import type { JobView } from '../../src/bot/jobs/desk/job-view.ts';

const DONE: JobView = {
  jobId: 'job_aaaaaaaaaaaaaaaaaaaaaaaaa',
  capability: 'photo_swap',
  userId: '5',
  acceptedAtMs: 1_769_904_000_000,
  stage: 'settled',
  outcome: 'succeeded',
  failure: null,
  takenBack: null,
  charged: micros(40_000),
  isKept: true,
  askedPrice: null,
  undelivered: null,
  message: { guildId: '1', channelId: '2', messageId: '3' },
  canRetry: true,
};

describe('/jobs', () => {
  test('lists page by page, privately', async () => {
    const desk = deskWith({
      list: (_origin, query) => Promise.resolve({ ...query, jobs: [DONE], hasMore: query.page === 0 }),
    });
    const stage = await useHandlers({ commands: [jobs], components: [pageButton] }, systemClock, { desk });
    const { ada, channel } = stage;

    const use = await ada.runs('/jobs list', { in: channel });
    const reply = await use.replied();
    expect(reply.flags.ephemeral).toBe(true);
    expect(reply.embeds[0]).toMatchObject({
      title: 'Your ended jobs',
      description:
        '• **Photo Swap** done · $0.04 · <t:1769904000:R> · [card](https://discord.com/channels/1/2/3)',
    });

    await ada.presses('Older', { on: reply });
    await expect.poll(() => reply.text).toContain('Your ended jobs, page 2');
    expect(reply.text).not.toContain('Older');
    await ada.presses('Newer', { on: reply });
    await expect.poll(() => reply.text).not.toContain('page 2');
  });

  test('suggests jobs in words, and shows the chosen one', async () => {
    const desk = deskWith({
      list: (_origin, query) =>
        Promise.resolve({ ...query, jobs: query.page === 0 ? [DONE] : [], hasMore: false }),
      show: () =>
        Promise.resolve({
          outcome: 'shown',
          job: { ...DONE, undelivered: 'missing_access', message: null },
          file: null,
          isSmaller: false,
          link: { url: 'https://m.example/results/x', expiresAtMs: 1_769_904_000_000 },
        }),
    });
    const { ada, channel } = await useHandlers({ commands: [jobs] }, systemClock, { desk });

    const suggested = await ada.completes('/jobs show', { in: channel, option: 'job', typed: 'PHOTO' });
    const use = await ada.runs('/jobs show', { in: channel, options: { job: DONE.jobId } });
    const reply = await use.replied();

    expect(suggested[0]?.['name']).toMatch(/^Photo Swap, done, \d+ days ago$/);
    expect(reply.flags.ephemeral).toBe(true);
    expect(reply.text).toContain('Its card could not be posted in the channel.');
    expect(reply.text).toContain('good until <t:1769904000:F>');
    expect(reply.text).toContain('Load the result');
    expect(reply.text).toContain('AI-altered media');
  });

  test.each([
    ['a running one', { outcome: null, stage: 'submitted' }, ['Cancel']],
    ['one that failed and may succeed the next time', { outcome: 'failed', isKept: false }, ['Retry']],
    ['one that fails each time', { outcome: 'failed', isKept: false, canRetry: false }, []],
    ['one that is being cancelled', { outcome: null, takenBack: 'cancelled' }, []],
  ] as const)('offers the possible actions for %s', (_what, changes, labels) => {
    const job: JobView = { ...DONE, ...changes };

    const { components } = shownReply({ outcome: 'shown', job, file: null, isSmaller: false, link: null });

    const buttons = components.flatMap((row) => row.components);
    expect(buttons.map((button) => ('label' in button ? button.label : ''))).toEqual(labels);
  });

  test('explains a refused action privately', async () => {
    const { ada, channel } = await useHandlers({ commands: [jobs], components: [retryButton] });

    const shown = await (await ada.runs('/jobs show', { in: channel, options: { job: 'job_x' } })).replied();
    const retried = await ada.runs('/jobs retry', { in: channel, options: { job: 'job_x' } });
    const whisper = await retried.followUpWhere(() => true);

    for (const message of [shown, whisper]) {
      expect(message.text).toContain('There is no such job in this server');
      expect(message.flags.ephemeral).toBe(true);
    }
    expect(channel.messages).toEqual([]);
  });
});
