import { expect, test } from 'vitest';
import { accessText } from '../../commands/access/access-text.ts';
import type { AccessView } from '../../src/bot/people/access/access-view.ts';

test('the rules of a server fit into one message, however many there are', () => {
  const entries = (['role', 'channel', 'member'] as const).flatMap((kind) =>
    (['allow', 'deny'] as const).flatMap((effect) =>
      Array.from({ length: 66 }, (_, n) => ({ kind, effect, target: `${effect}${n}`.padEnd(20, '1') })),
    ),
  );
  const members = entries.map((entry) =>
    entry.kind === 'member' ? { ...entry, effect: 'deny' as const, target: '1'.repeat(20) } : entry,
  );
  const view: AccessView = {
    entries: members,
    cooldownSeconds: 86_400,
    concurrentMax: 50,
    ageRestrictedOnly: true,
    reportsChannelId: '1'.repeat(20),
  };

  const text = accessText(view);

  expect(text.length).toBeLessThanOrEqual(4_096);
  expect(text).toContain('and 46 more');
});
