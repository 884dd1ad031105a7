import { describe, expect, it } from 'vitest';
import { ZERO, micros } from '../../src/base/money.ts';
import { budgetNotice, outgrownNotice } from '../../src/discord/notices/budget.ts';
import { capName, capStand, capTitle, raiseText, resetText } from '../../src/discord/notices/caps.ts';
import type { CapTarget, CapView } from '../../src/ledger/cap.ts';

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
  it.each<[Partial<CapView>, string, string]>([
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

  it('needs no rendering in a title', () => {
    expect(capTitle(view({ target: ROLE, capability: 'photo_swap' }))).toBe(
      'your daily budget for Photo Swap',
    );
    expect(capTitle(view({ period: 'month' }))).toBe('the monthly budget');
  });

  it('keeps a capability that is newer than this program', () => {
    expect(capName(view({ capability: 'brand_new' }))).toBe("this server's daily budget for brand_new");
  });
});

it('tells how a cap stands, when it resets, and who can raise it', () => {
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

describe('the refusal for a budget', () => {
  it('names the cap, what is left of it, when it resets, and what can be done', () => {
    expect(budgetNotice(micros(200_000), view())).toEqual({
      title: 'Not enough of the daily budget left',
      happened: "This needs about **$0.20**. This server's daily budget has **$0.05** of **$0.30** left.",
      next: `It resets ${FEBRUARY}. An admin can raise it with \`/budget set\`.`,
    });
  });

  it('does not tell a member to wait for a budget that will never be enough', () => {
    const { next } = budgetNotice(micros(300_001), view());

    expect(next).toBe(
      'That is more than all of it, so waiting does not help. An admin can raise it with `/budget set`.',
    );
  });

  it('tells who can raise what only the operator can', () => {
    const { happened, next } = budgetNotice(micros(100_000), view({ target: { kind: 'operator' } }));

    expect(happened).toContain("This server's daily allowance has");
    expect(next).toContain('Only whoever runs this bot can raise it.');
  });

  it.each<[CapTarget, string, string]>([
    [
      { kind: 'default' },
      'nobody has set a budget for this server yet.',
      'An admin can set one with `/budget set`.',
    ],
    [
      { kind: 'operator' },
      'has not let this server spend anything.',
      'Only whoever runs this bot can raise it.',
    ],
    [
      { kind: 'guild' },
      "this server's daily budget is **$0.00**.",
      'An admin can raise it with `/budget set`.',
    ],
    [ROLE, 'your daily budget as <@&21> is **$0.00**.', 'An admin can raise it with `/budget set`.'],
  ])('says where there is nothing to spend at all: %j', (target, happened, next) => {
    const notice = budgetNotice(micros(100_000), view({ target, limit: ZERO, left: ZERO, posted: ZERO }));

    expect(notice.happened).toContain(happened);
    expect(notice.next).toBe(next);
  });
});

describe('the end of a job that its budget does not allow any more', () => {
  it('says how much is left of the budget of a server', () => {
    const { happened, next } = outgrownNotice(micros(200_000), view());

    expect(happened).toBe(
      "With files of this length it needs about **$0.20**, which is more than the **$0.05** left of this server's daily budget.",
    );
    expect(next).toBe(
      `Use a shorter video or recording, or see \`/budget show\` for what is left. It resets ${FEBRUARY}. An admin can raise it with \`/budget set\`.`,
    );
  });

  it('keeps to itself what a member has left, since everybody reads it', () => {
    for (const target of [ROLE, { kind: 'member' } as const]) {
      const { happened, next } = outgrownNotice(micros(200_000), { ...view(), target });

      expect(happened).toContain('which is more than is left of your daily budget');
      expect(happened + next).not.toContain('$0.05');
    }
  });

  it('says what it can of a job whose budget was not written down', () => {
    expect(outgrownNotice(micros(200_000), null).happened).toContain('which is more than is left.');
  });
});
