import { describe, expect, test } from 'vitest';
import { ZERO, micros } from '../../../../src/base/money.ts';
import {
  cardNonce,
  cardReference,
  failureBody,
  heldBackBody,
  priceBody,
  progressBody,
  resultBody,
  safeFileName,
} from '../../../../src/bot/discord/words/replies/cards.ts';
import type { BudgetView } from '../../../../src/bot/money/caps/budget.ts';
import { aboutText } from '../../../../src/bot/discord/words/texts.ts';
import type { PriceCard, ResultCard } from '../../../../src/bot/jobs/cards.ts';
import type { ReplyTarget } from '../../../../src/bot/jobs/reply-target.ts';

const TARGET: ReplyTarget = {
  jobId: 'job_aaaaaaaaaaaaaaaaaaaaaaaaa',
  applicationId: '1',
  guildId: '2',
  channelId: '3',
  userId: '4',
  interactionToken: 'token',
  tokenExpiresAtMs: 0,
  messageId: null,
  attachmentSizeLimitBytes: 10_000_000,
};
const BUDGET: BudgetView = {
  limit: micros(5_000_000),
  left: micros(4_962_500),
  period: 'week',
  resetsAtMs: Date.UTC(2026, 1, 1),
};
const RESULT: ResultCard = {
  kind: 'result',
  capability: 'photo_swap',
  file: { path: '/x/out.png', name: 'photo-swap.png', mime: 'image/png' },
  isSmaller: false,
  link: null,
  charged: micros(37_500),
  held: micros(60_000),
  startsReview: false,
  budget: BUDGET,
  tookMs: 9_100,
};
const REFERENCE = cardReference(TARGET.jobId);

describe('the result card', () => {
  test('shows the picture, the member, the cost, the amount left and when it resets', () => {
    expect(resultBody(TARGET, RESULT)).toEqual({
      content: '**AI-altered media**, made for <@4>',
      embeds: [
        {
          color: 0x3ba55d,
          title: 'Photo Swap',
          fields: [
            { name: 'Cost', value: '$0.0375', inline: true },
            { name: 'Left this week', value: '$4.9625 of $5.00', inline: true },
            { name: 'Resets', value: '<t:1769904000:R>', inline: true },
          ],
          image: { url: 'attachment://photo-swap.png' },
          footer: { text: `AI-altered media · took 9 s · ${REFERENCE}` },
        },
      ],
      attachments: [{ id: '0', filename: 'photo-swap.png', description: 'AI-altered media' }],
      components: [
        {
          type: 1,
          components: ['Retry', 'Use as input', 'Delete', 'Report'].map((label) => ({
            type: 2,
            style: 2,
            label,
            custom_id: `mq1:${label === 'Use as input' ? 'use' : label.toLowerCase()}:${TARGET.jobId}`,
          })),
        },
      ],
      allowed_mentions: { parse: [] },
    });
  });

  test('shows a video beside the embed, where it can be played', () => {
    const file = { path: '/x/out.mp4', name: 'out.mp4', mime: 'video/mp4' };

    const body = resultBody(TARGET, { ...RESULT, file });

    expect(body.embeds[0]).not.toHaveProperty('image');
    expect(body.attachments[0]?.filename).toBe('out.mp4');
  });

  test('links to results that are not attached in full, and says for how long', () => {
    const link = { url: 'https://m.example/results/x', expiresAtMs: 1_769_904_000_000 };
    const smaller = resultBody(TARGET, { ...RESULT, isSmaller: true, link });
    const none = resultBody(TARGET, { ...RESULT, file: null, link });
    const first = (body: typeof none): unknown => body.components[0]?.components[0];

    expect(smaller.embeds[0]?.description).toContain('made smaller');
    expect(first(smaller)).toEqual({ type: 2, style: 5, label: 'Full quality', url: link.url });
    expect(none.embeds[0]?.description).toContain('larger than Discord lets a bot post');
    expect(none.embeds[0]?.description).toContain('until <t:1769904000:F>');
    expect(none.attachments).toEqual([]);
    expect(first(none)).toMatchObject({ label: 'Load the result', url: link.url });
    expect(none.components[0]?.components).toHaveLength(5);
  });

  test('says that new jobs wait for a review only if its charge is the reason', () => {
    const over = { ...RESULT, charged: micros(200_000) };
    const waits = { ...over, startsReview: true };
    const failed = { kind: 'failure', failure: { reason: 'cancelled' }, canRetry: true } as const;

    const sentence =
      'New jobs of <@4> in this server wait until an admin or somebody who manages its budget has reviewed this charge (`/spend overruns`).';
    expect(resultBody(TARGET, waits).embeds[0]?.description).toContain(sentence);
    expect(failureBody(TARGET, { ...waits, ...failed }).embeds[0]?.description).toContain(sentence);
    expect(heldBackBody(TARGET, waits).embeds[0]?.description).toContain(sentence);
    expect(resultBody(TARGET, over).embeds[0]?.description).not.toContain('wait until');
  });

  test('omits when a budget of zero resets', () => {
    const budget = { ...BUDGET, limit: ZERO, left: ZERO };

    const names = resultBody(TARGET, { ...RESULT, budget }).embeds[0]?.fields?.map(({ name }) => name);

    expect(names).toEqual(['Cost', 'Left this week']);
  });

  test('says whom to ask if there is no link to a result', () => {
    const body = resultBody(TARGET, { ...RESULT, file: null });

    expect(body.embeds[0]?.description).toContain('Ask whoever runs this bot');
    expect(body.components[0]?.components).toHaveLength(4);
  });

  test.each([
    ['@everyone.png', 'everyone.png'],
    ['../../etc/passwd', 'etc-passwd'],
    ['`a` b.png', 'a-b.png'],
    ['.hidden', 'hidden'],
    ['日本', 'result'],
    [`${'x'.repeat(100)}.png`, `${'x'.repeat(56)}.png`],
  ])('makes the file name %s safe', (name, safe) => {
    expect(safeFileName(name)).toBe(safe);
  });
});

describe('the failure card', () => {
  const failure = { reason: 'job', code: 'face_not_detected' } as const;
  const card = {
    kind: 'failure',
    capability: 'photo_swap',
    failure,
    canRetry: false,
    charged: ZERO,
    held: micros(60_000),
    startsReview: false,
    budget: BUDGET,
  } as const;

  test('says what happened, what to do, and that nothing was charged', () => {
    expect(failureBody(TARGET, card)).toEqual({
      content: 'For <@4>',
      components: [],
      embeds: [
        {
          color: 0xed4245,
          title: 'Photo Swap: no face found',
          description:
            'No face was found in one of the files.\n' +
            'Use one where the face is large, sharp, and seen from the front.\n' +
            'Nothing was charged.',
          footer: { text: REFERENCE },
        },
      ],
      attachments: [],
      allowed_mentions: { parse: [] },
    });
  });

  test('offers a retry where that may help', () => {
    expect(failureBody(TARGET, { ...card, canRetry: true }).components).toEqual([
      {
        type: 1,
        components: [{ type: 2, style: 1, label: 'Retry', custom_id: `mq1:retry:${TARGET.jobId}` }],
      },
    ]);
  });

  test('does not claim that nothing was charged if there was a charge', () => {
    const body = failureBody(TARGET, { ...card, charged: micros(1) });

    expect(body.embeds[0]?.description).toContain('This cost $0.000001.');
  });
});

describe('the progress card', () => {
  const progress = {
    capability: 'photo_swap',
    stage: 'at_service',
    acceptedAtMs: 1_769_904_000_000,
    price: null,
  } as const;

  test('shows the member, the stage, when it started, and the usual duration', () => {
    const body = progressBody(TARGET, { ...progress, typicalMs: 9_200 });

    expect(body.content).toBe('For <@4>');
    expect(body.embeds[0]).toEqual({
      color: 0x5865f2,
      title: 'Photo Swap in progress',
      description:
        '**The service is working on it** (step 3 of 4)\nStarted <t:1769904000:R>, usually about 9 s.',
      footer: { text: REFERENCE },
    });
  });

  test('does not claim that a waiting job has started', () => {
    const waits = progressBody(TARGET, { ...progress, stage: 'queued', position: 3, typicalMs: null });

    expect(waits.embeds[0]?.description).toContain("server's line\nAsked <t:1769904000:R>.");
  });

  test('shows the approximate cost as soon as it is known', () => {
    const priced = progressBody(TARGET, { ...progress, price: micros(120_000), typicalMs: null });

    expect(priced.embeds[0]?.description).toBe(
      '**The service is working on it** (step 3 of 4)\nStarted <t:1769904000:R>.\nIt costs about $0.12.',
    );
  });

  test('can be cancelled until it was', () => {
    const working = progressBody(TARGET, { ...progress, typicalMs: null });
    const cancelled = progressBody(TARGET, { ...progress, stage: 'cancelling', typicalMs: null });

    expect(working.components[0]?.components).toMatchObject([
      { label: 'Cancel', custom_id: `mq1:cancel:${TARGET.jobId}` },
    ]);
    expect(cancelled.components).toEqual([]);
    expect(cancelled.embeds[0]?.description).toContain('runs to its end there and is billed');
  });

  test('omits an unknown usual duration', () => {
    expect(progressBody(TARGET, { ...progress, typicalMs: null }).embeds[0]?.description).toBe(
      '**The service is working on it** (step 3 of 4)\nStarted <t:1769904000:R>.',
    );
  });
});

describe('the question for a price', () => {
  const card = {
    capability: 'video_swap',
    price: micros(915_300),
    held: micros(1_144_125),
    lengths: [{ of: 'video', durationMs: 12_300 }],
    budget: BUDGET,
    overrun: null,
    endsAtMs: 1_769_904_600_000,
  } as const;

  test('shows the price and its reason, the amounts set aside and left, and which button to press until when', () => {
    expect(priceBody(TARGET, card)).toEqual({
      content: 'For <@4>',
      embeds: [
        {
          color: 0xfaa61a,
          title: 'Video Swap: go on for about $0.92?',
          description:
            'This server wants you to see what costs this much before it starts. What it really costs is charged ' +
            'when it is done; the rest of what is set aside comes back.\nWithout a yes it ends <t:1769904600:R>. Nothing was charged so far.',
          fields: [
            { name: 'Length', value: 'video 12 s', inline: true },
            { name: 'Price', value: 'about $0.92', inline: true },
            { name: 'Set aside until it is done', value: '$1.144125', inline: true },
            { name: 'Left this week after that', value: '$4.9625 of $5.00', inline: true },
          ],
          footer: { text: REFERENCE },
        },
      ],
      attachments: [],
      components: [
        {
          type: 1,
          components: [
            { type: 2, style: 3, label: 'Yes, about $0.92', custom_id: `mq1:confirm:${TARGET.jobId}` },
            { type: 2, style: 2, label: 'Cancel', custom_id: `mq1:cancel:${TARGET.jobId}` },
          ],
        },
      ],
      allowed_mentions: { parse: [] },
    });
  });

  test('names every length that counts, and none for pictures', () => {
    const lengths = [
      { of: 'video', durationMs: 65_000 },
      { of: 'audio', durationMs: 9_000 },
    ];
    const fieldsOf = (changes: Partial<PriceCard>): unknown =>
      priceBody(TARGET, { ...card, ...changes }).embeds[0]?.fields?.map(({ value }) => value);

    expect(fieldsOf({ lengths })).toContain('video 1 min 5 s, audio 9 s');
    expect(fieldsOf({ lengths: [] })).toEqual(['about $0.92', '$1.144125', '$4.9625 of $5.00']);
  });

  test('ends without blame if nobody said yes', () => {
    const failure = { reason: 'not_confirmed', price: micros(915_300) } as const;
    const ended = {
      kind: 'failure',
      capability: 'video_swap',
      canRetry: true,
      charged: ZERO,
      held: micros(60_000),
      startsReview: false,
      budget: BUDGET,
    } as const;

    expect(failureBody(TARGET, { ...ended, failure }).embeds[0]).toMatchObject({
      title: 'Video Swap: not started',
      description:
        'It would have cost **about $0.92**, and there was no yes to that in time.\n' +
        'Press Retry if you want it after all: the same files are used again.\n' +
        'Nothing was charged.',
    });
  });
});

describe('an approximate amount', () => {
  test.each([
    [1, 'about $0.000001'],
    [1_234, 'about $0.0013'],
    [9_999, 'about $0.01'],
    [10_000, 'about $0.01'],
    [10_001, 'about $0.02'],
    [120_000, 'about $0.12'],
    [1_234_567_890, 'about $1,234.57'],
  ])('%d micro-dollars are rounded up to the next cent, or to two digits below a cent', (amount, text) => {
    expect(aboutText(micros(amount))).toBe(text);
  });
});

describe('the nonce of a card', () => {
  test('follows from the job, differs between jobs, and fits into 25 characters', () => {
    expect(cardNonce('job_1')).toBe(cardNonce('job_1'));
    expect(cardNonce('job_1')).not.toBe(cardNonce('job_2'));
    expect(cardNonce('job_1')).toMatch(/^[a-z2-7]{25}$/);
  });
});
