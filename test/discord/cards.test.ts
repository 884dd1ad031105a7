import { describe, expect, it } from 'vitest';
import { ZERO, micros } from '../../src/base/money.ts';
import {
  cardNonce,
  cardReference,
  failureBody,
  progressBody,
  resultBody,
  safeFileName,
} from '../../src/discord/cards.ts';
import type { BudgetView } from '../../src/ledger/budget.ts';
import type { ReplyTarget, ResultCard } from '../../src/jobs/ports.ts';

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
  charged: micros(37_500),
  budget: BUDGET,
  tookMs: 9_100,
};
const REFERENCE = cardReference(TARGET.jobId);

describe('the result card', () => {
  it('shows the picture, who asked, the cost, what is left and when it resets', () => {
    expect(resultBody(TARGET, RESULT)).toEqual({
      content: '**AI-altered media**, made for <@4>',
      components: [],
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
      allowed_mentions: { parse: [] },
    });
  });

  it('leaves a video beside the embed, where it can be played', () => {
    const file = { path: '/x/out.mp4', name: 'out.mp4', mime: 'video/mp4' };

    const body = resultBody(TARGET, { ...RESULT, file });

    expect(body.embeds[0]).not.toHaveProperty('image');
    expect(body.attachments[0]?.filename).toBe('out.mp4');
  });

  it.each([
    ['@everyone.png', 'everyone.png'],
    ['../../etc/passwd', 'etc-passwd'],
    ['`a` b.png', 'a-b.png'],
    ['.hidden', 'hidden'],
    ['日本', 'result'],
    [`${'x'.repeat(100)}.png`, `${'x'.repeat(56)}.png`],
  ])('makes the file name %s harmless', (name, safe) => {
    expect(safeFileName(name)).toBe(safe);
  });
});

describe('the failure card', () => {
  const failure = { reason: 'job', code: 'face_not_detected' } as const;
  const card = { kind: 'failure', capability: 'photo_swap', failure, charged: ZERO, budget: BUDGET } as const;

  it('says what happened, what to do, and that it cost nothing', () => {
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

  it('does not claim that nothing was charged when something was', () => {
    const body = failureBody(TARGET, { ...card, charged: micros(1) });

    expect(body.embeds[0]?.description).toContain('This was charged with $0.000001.');
  });
});

describe('the progress card', () => {
  const progress = {
    capability: 'photo_swap',
    stage: 'at_service',
    acceptedAtMs: 1_769_904_000_000,
  } as const;

  it('tells the stage, when it started, and how long it usually takes', () => {
    expect(progressBody(TARGET, { ...progress, typicalMs: 9_200 }).embeds[0]).toEqual({
      color: 0x5865f2,
      title: 'Photo Swap in progress',
      description:
        '**The service is working on it** (step 3 of 4)\nStarted <t:1769904000:R>, usually about 9 s.',
      footer: { text: REFERENCE },
    });
  });

  it('says nothing about a usual time that is not known', () => {
    expect(progressBody(TARGET, { ...progress, typicalMs: null }).embeds[0]?.description).toBe(
      '**The service is working on it** (step 3 of 4)\nStarted <t:1769904000:R>.',
    );
  });
});

describe('the nonce of a card', () => {
  it('always follows from the job, differs between jobs, and fits into 25 characters', () => {
    expect(cardNonce('job_1')).toBe(cardNonce('job_1'));
    expect(cardNonce('job_1')).not.toBe(cardNonce('job_2'));
    expect(cardNonce('job_1')).toMatch(/^[a-z2-7]{25}$/);
  });
});
