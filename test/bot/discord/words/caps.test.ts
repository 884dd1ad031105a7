import { describe, expect, test } from 'vitest';
import { ZERO, micros } from '../../../../src/base/money.ts';
import { budgetNotice, outgrownNotice } from '../../../../src/bot/discord/words/notices/budget-notice.ts';
import {
  capName,
  capStand,
  capTitle,
  raiseText,
  resetText,
} from '../../../../src/bot/discord/words/notices/cap-name.ts';
import type { NeededLengths } from '../../../../src/bot/jobs/cards.ts';
import type { NeededAmounts } from '../../../../src/bot/jobs/intake/refusals.ts';
import type { CapTarget, CapView } from '../../../../src/bot/money/caps/cap.ts';

const RESETS_AT_MS = Date.UTC(2026, 1, 1);
const FEBRUARY = '<t:1769904000:F> (<t:1769904000:R>)';

function view(changes: Partial<CapView> = {}): CapView {
  return {
    target: { kind: 'guild' },
    capability: null,
    period: 'day',
    limit: micros(300_000),
    posted: micros(250_000),
    pending: ZERO,
    left: micros(50_000),
    startsAtMs: RESETS_AT_MS - 86_400_000,
    resetsAtMs: RESETS_AT_MS,
    ...changes,
  };
}

const ROLE: CapTarget = { kind: 'role', roleId: '21' };
const MEMBER: CapTarget = { kind: 'member', userId: '31' };

describe('the name of a cap', () => {
  test.each<[Partial<CapView>, string, string]>([
    [{}, "this server's daily budget", "this server's daily budget"],
    [
      { capability: 'video_swap', period: 'week' },
      "this server's weekly budget for Video Swap",
      "this server's weekly budget for Video Swap",
    ],
    [
      { target: { kind: 'default' }, period: 'month' },
      "this server's monthly budget",
      "this server's monthly budget",
    ],
    [
      { target: { kind: 'operator' }, period: 'total' },
      "this server's total allowance",
      "this server's total allowance",
    ],
    [{ target: ROLE }, 'your daily budget as <@&21>', 'the daily budget of each member with <@&21>'],
    [
      { target: MEMBER, capability: 'avatar', period: 'total' },
      'your total budget for Avatar',
      'the total budget for Avatar of <@31>',
    ],
  ])('%j', (changes, toMember, toServer) => {
    expect(capName(view(changes))).toBe(toMember);
    expect(capName(view(changes), 'server')).toBe(toServer);
  });

  test('contains no Markdown in a title', () => {
    expect(capTitle(view({ target: ROLE, capability: 'photo_swap' }))).toBe(
      'your daily budget for Photo Swap',
    );
    expect(capTitle(view({ period: 'month' }))).toBe('the monthly budget');
  });

  test('shows a capability that is newer than this program by its name', () => {
    expect(capName(view({ capability: 'brand_new' }))).toBe("this server's daily budget for brand_new");
  });
});

test('shows the state of a cap, when it resets, and who can raise it', () => {
  expect(capStand(view())).toBe('**$0.05** of **$0.30** left');
  expect(capStand(view({ pending: micros(20_000) }))).toBe(
    '**$0.05** of **$0.30** left (**$0.02** is set aside for what is running)',
  );
  expect(resetText(view())).toBe(`It resets ${FEBRUARY}.`);
  expect(resetText({ resetsAtMs: null })).toBe('It never resets.');
  expect(raiseText(view())).toBe('An admin can raise it with `/budget set`.');
  expect(raiseText({ target: { kind: 'operator' } })).toBe('Only whoever runs this bot can raise it.');
  expect(raiseText({ target: { kind: 'default' } })).toBe('An admin can set another one with `/budget set`.');
});

/** Returns the price of a job, and the amount that must be set aside for it. */
function needs(price: number | null, needed: number): NeededAmounts {
  return { price: price === null ? null : micros(price), needed: micros(needed) };
}

function measured(lengths = [{ of: 'audio', durationMs: 125_000 }]): NeededLengths {
  return { ...needs(160_000, 200_000), lengths };
}

describe('the refusal for a budget', () => {
  test('does not show a price that depends on a length that is not known yet', () => {
    expect(budgetNotice(needs(null, 400_000), view({ limit: micros(500_000) })).happened).toBe(
      "Until this is done, **$0.40** must be set aside for it. This server's daily budget has only **$0.05** of **$0.50** left.",
    );
  });

  test.each([
    ['all that is missing', 150_000, true],
    ['too little', 149_999, false],
    ['nothing', 0, false],
  ])(
    'says first that running jobs release what they do not cost: %s is set aside for them',
    (_, aside, isHint) => {
      const { next } = budgetNotice(needs(160_000, 200_000), view({ pending: micros(aside) }));

      const hint = 'When the running jobs end, what they do not cost comes back: try again in a few minutes.';
      expect(next.startsWith(hint)).toBe(isHint);
      expect(next).toContain('It resets');
    },
  );

  test('does not say so for a budget that is too small as a whole', () => {
    const { next } = budgetNotice(needs(300_000, 400_000), view({ left: ZERO, pending: micros(300_000) }));

    expect(next).not.toContain('try again');
    expect(next).not.toContain('resets');
  });

  test('names the cap, the amount left, when it resets, and what the member can do', () => {
    expect(budgetNotice(needs(160_000, 200_000), view())).toEqual({
      title: 'Not enough of the daily budget left',
      happened:
        "This should cost **about $0.16**; until it is done, **$0.20** must be set aside. This server's daily budget has only **$0.05** of **$0.30** left.",
      next: `It resets ${FEBRUARY}. An admin can raise it with \`/budget set\`.`,
    });
  });

  test('does not ask a member to wait for a budget that will never be enough', () => {
    const { next } = budgetNotice(needs(240_001, 300_001), view());

    expect(next).toBe(
      'More must be set aside than all of it, so waiting does not help. An admin can raise it with `/budget set`.',
    );
  });

  test('names the operator where only the operator can raise the budget', () => {
    const { happened, next } = budgetNotice(needs(80_000, 100_000), view({ target: { kind: 'operator' } }));

    expect(happened).toContain("This server's daily allowance has only");
    expect(next).toContain('Only whoever runs this bot can raise it.');
  });

  test.each<[CapTarget, string, string]>([
    [
      { kind: 'default' },
      'Nobody has set a budget for this server yet.',
      'An admin can set one with `/budget set`.',
    ],
    [
      { kind: 'operator' },
      'has not let this server spend anything.',
      'Only whoever runs this bot can raise it.',
    ],
    [
      { kind: 'guild' },
      "This server's daily budget is **$0.00**.",
      'An admin can raise it with `/budget set`.',
    ],
    [ROLE, 'Your daily budget as <@&21> is **$0.00**.', 'An admin can raise it with `/budget set`.'],
  ])('says that nothing can be spent at all: %j', (target, happened, next) => {
    const notice = budgetNotice(
      needs(80_000, 100_000),
      view({ target, limit: ZERO, left: ZERO, posted: ZERO }),
    );

    expect(notice.happened).toContain(happened);
    expect(notice.next).toBe(next);
  });
});

describe('the end of a job that its budget no longer covers', () => {
  test('says how much is left of the budget of a server', () => {
    const { happened, next } = outgrownNotice(measured(), view());

    expect(happened).toBe(
      "`audio` was measured as **2 min 5 s**. This should cost **about $0.16**; until it is done, **$0.20** must be set aside, which is more than the **$0.05** left of this server's daily budget.",
    );
    expect(next).toBe(
      `Use a shorter video, recording or script, or see \`/budget show\` for what is left. It resets ${FEBRUARY}. An admin can raise it with \`/budget set\`.`,
    );
  });

  test('names every measured length, and marks the length of a speech as an estimate', () => {
    const lengths = [
      { of: 'video', durationMs: 6_700 },
      { of: 'audio', durationMs: 125_000 },
    ];

    expect(outgrownNotice(measured(lengths), view()).happened).toContain(
      '`video` was measured as **7 s**. `audio` was measured as **2 min 5 s**. This should cost',
    );
    const speech = [{ of: 'speech', durationMs: 65_000 }];
    expect(outgrownNotice(measured(speech), view()).happened).toContain(
      'The speech should take **1 min 5 s**. This should cost',
    );
    expect(outgrownNotice(measured([]), view()).happened).toMatch(/^This should cost/);
  });

  test("does not show a member's remaining amount, because everyone reads the card", () => {
    for (const target of [ROLE, { kind: 'member' } as const]) {
      const { happened, next } = outgrownNotice(measured(), { ...view(), target });

      expect(happened).toContain('which is more than is left of your daily budget');
      expect(happened + next).not.toContain('$0.05');
    }
  });

  test('shows what it can for a job whose budget was not recorded', () => {
    expect(outgrownNotice(measured(), null).happened).toContain('which is more than is left.');
  });
});
