import { expect, test } from 'vitest';
import { type MicroUsd, ZERO, micros } from '../../src/base/money.ts';
import { budgetsReply } from '../../src/bot/discord/words/replies/budgets-reply.ts';
import { capHistoryReply } from '../../src/bot/discord/words/replies/cap-history-reply.ts';
import { barText, capText } from '../../src/bot/discord/words/replies/cap-text.ts';
import type { MessageBody } from '../../src/bot/discord/wire/message-calls.ts';
import type { CapTarget, CapView } from '../../src/bot/money/caps/cap.ts';
import type { BudgetsShown } from '../../src/bot/money/budgets/budgets-shown.ts';
import type { GuildBudgetSettings } from '../../src/bot/money/budgets/guild-budget-settings.ts';

const LONG_ID = '1'.repeat(20);
const MOST: MicroUsd = micros(999_999_999_999);
const RESETS_AT_MS = Date.UTC(2026, 1, 1);

const SETTINGS: GuildBudgetSettings = {
  timeZone: 'America/Argentina/ComodRivadavia',
  confirmAbove: MOST,
  lengthened: [],
  operatorTimeZone: 'UTC',
  voiceRenewal: false,
  alertsChannelId: LONG_ID,
  managerRoleIds: Array.from({ length: 20 }, () => LONG_ID),
};

function view(changes: Partial<CapView> = {}): CapView {
  return {
    target: { kind: 'guild' },
    capability: null,
    period: 'day',
    limit: micros(300_000),
    posted: micros(100_000),
    pending: micros(60_000),
    left: micros(140_000),
    startsAtMs: RESETS_AT_MS - 86_400_000,
    resetsAtMs: RESETS_AT_MS,
    ...changes,
  };
}

function textOf(body: MessageBody): string {
  return body.embeds.map(({ description = '' }) => description).join('\n');
}

test('shows the state of a cap in three lines', () => {
  expect(capText(view())).toBe(
    [
      "**This server's daily budget**",
      '`██████░░░░░░` 53% · **$0.14** of **$0.30** left',
      '$0.10 charged · $0.06 set aside · resets <t:1769904000:R>',
    ].join('\n'),
  );
  expect(capText(view({ period: 'total', resetsAtMs: null, pending: ZERO, left: micros(200_000) }))).toBe(
    [
      "**This server's total budget**",
      '`████░░░░░░░░` 33% · **$0.20** of **$0.30** left',
      '$0.10 charged · never resets',
    ].join('\n'),
  );
});

test.each<[CapTarget, string]>([
  [{ kind: 'default' }, 'nothing is spent until an admin sets a budget with `/budget set`'],
  [{ kind: 'operator' }, 'whoever runs this bot has not let this server spend anything'],
  [{ kind: 'member', userId: '5' }, 'nothing may be spent'],
])('says where nothing may be spent, and who can change it: %j', (target, words) => {
  expect(capText(view({ target, limit: ZERO, left: ZERO, posted: ZERO, pending: ZERO }))).toContain(
    `**$0.00**: ${words}`,
  );
});

test('draws a bar that is empty only while nothing is used, and full only when all is used', () => {
  const bar = (posted: number): string =>
    barText({ limit: micros(1_000_000), posted: micros(posted), pending: ZERO });

  expect(bar(0)).toBe('`░░░░░░░░░░░░` 0%');
  expect(bar(1)).toBe('`█░░░░░░░░░░░` 0%');
  expect(bar(999_999)).toBe('`███████████░` 99%');
  expect(bar(1_000_000)).toBe('`████████████` 100%');
  expect(bar(1_400_000)).toBe('`████████████` 140%');
});

test('fits any number of caps with the longest texts into pages that Discord accepts', () => {
  const target: CapTarget = { kind: 'role', roleId: LONG_ID };
  const worst = view({
    target,
    capability: 'motion_transfer',
    period: 'month',
    limit: MOST,
    posted: MOST,
    pending: MOST,
    left: MOST,
  });
  const shown: BudgetsShown = {
    isManager: true,
    guild: [worst, worst],
    own: [worst, worst],
    others: Array.from({ length: 100 }, () => ({ cap: worst, resetsAtMs: RESETS_AT_MS, view: worst })),
    settings: SETTINGS,
  };

  const pages = Array.from({ length: 13 }, (_, page) => budgetsReply(shown, page, 0));

  for (const page of pages) expect(textOf(page).length).toBeLessThanOrEqual(4_096);
  expect(
    pages
      .map(textOf)
      .join('\n')
      .match(/resets/g),
  ).toHaveLength(104);
  expect(JSON.stringify(pages[0]?.components)).not.toContain('Previous');
  expect(JSON.stringify(pages[12]?.components)).not.toContain('Next');
  expect(budgetsReply(shown, 9_999, 0)).toEqual(pages[12]);
});

test('has no buttons if one page is enough, and shows members no settings of managers', () => {
  const shown: BudgetsShown = {
    isManager: false,
    guild: [view()],
    own: [],
    others: [],
    settings: SETTINGS,
  };

  const reply = budgetsReply(shown, 0, 0);

  expect(reply.components).toEqual([]);
  expect(textOf(reply)).toMatch(/now \d\d:\d\d\.$/);
  expect(textOf(reply)).not.toContain('Managed by');
});

test('names the time zone of the allowance if it differs from that of the server', () => {
  const guild = [view({ target: { kind: 'operator' } }), view()];
  const shown = { isManager: false, guild, own: [], others: [], settings: SETTINGS };

  expect(textOf(budgetsReply(shown, 0, 0))).toMatch(/The allowance follows the clocks of \*\*UTC\*\*\.$/);
  const same = { ...shown, settings: { ...SETTINGS, timeZone: 'UTC' } };
  expect(textOf(budgetsReply(same, 0, 0))).not.toContain('allowance follows');
});

test('shows who changed which cap from what to what', () => {
  const key = view({ target: { kind: 'member', userId: '31' } });
  const at = { atMs: RESETS_AT_MS, byUserId: '5' };
  const changes = [
    { ...at, key, before: micros(200_000), after: micros(300_000) },
    { ...at, key, before: null, after: ZERO },
    { ...at, key: view(), before: ZERO, after: null, byUserId: 'gone_x' },
    { ...at, key: view({ target: { kind: 'operator' } }), before: null, after: micros(1) },
  ];

  const lines = textOf(capHistoryReply({ page: 0, changes, hasMore: false })).split('\n');

  expect(lines).toEqual([
    '• The daily budget of <@31>: **$0.20** → **$0.30** · <@5> · <t:1769904000:f>',
    '• The daily budget of <@31>: set to **$0.00** · <@5> · <t:1769904000:f>',
    "• This server's daily budget: taken back, was **$0.00** · a member who deleted their data · <t:1769904000:f>",
    "• This server's daily allowance: set to **$0.000001** · whoever runs this bot · <t:1769904000:f>",
  ]);
});
