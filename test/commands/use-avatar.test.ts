import { expect, test } from 'vitest';
import { useAvatar } from '../../commands/menus/use-avatar.ts';
import { only } from '../helpers/only.ts';
import { anOrigin } from '../helpers/an-origin.ts';
import { MemoryIntake } from '../bot/discord/use-intake.ts';
import { servicesOf } from '../bot/discord/use-services.ts';
import type { ConsentStore } from '../../src/bot/people/members/consent-store.ts';

test.each([
  ['a bot, for which nobody can give permission', { id: '9', isBot: true }, "A bot's picture cannot be used"],
  ['the member themselves, whose face is never swapped', { id: '5', isBot: false }, '/privacy never-swap'],
])('the avatar of %s is not used', async (_who, member, words) => {
  const target = { kind: 'user', avatarUrl: 'https://x/avatar.png', ...member } as const;
  const consents = only<ConsentStore>({
    mayUseAvatar: () => Promise.resolve(false),
    neverSwapSinceMs: () => Promise.resolve(1),
  });

  const result = await useAvatar.execute(
    { origin: anOrigin({ userId: '5' }), target },
    servicesOf(new MemoryIntake(), { consents }),
  );

  expect(JSON.stringify(result)).toContain(words);
  expect(JSON.stringify(result)).not.toContain('pick-use');
});
