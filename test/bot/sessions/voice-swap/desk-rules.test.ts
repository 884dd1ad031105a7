import { expect, test } from 'vitest';
import type { RuleEntry } from '../../../../src/bot/people/access/rules.ts';
import { PrivacyDesk } from '../../../../src/bot/people/members/privacy-desk.ts';
import { isAllowed } from '../../people/access/access-oracle.ts';
import { ADA, HALL, STAGE, by, nova, useDesk, useStarted } from './use-desk.ts';

const COMMANDS = '4';
const CATEGORY = '70';
const EFFECTS = ['allow', 'deny'] as const;

type Place = { readonly parentChannelIds: readonly string[]; readonly isAgeRestricted: boolean } | null;

const PLACES: Readonly<Record<string, Place>> = {
  plain: { parentChannelIds: [CATEGORY], isAgeRestricted: false },
  'age-restricted': { parentChannelIds: [CATEGORY], isAgeRestricted: true },
  unknown: null,
};
const UNKNOWN = { parentChannelIds: null, isAgeRestricted: false };

const RULES: readonly (readonly RuleEntry[])[] = [
  [],
  ...EFFECTS.flatMap((effect) =>
    [COMMANDS, HALL, STAGE, CATEGORY].map((target): RuleEntry[] => [{ kind: 'channel', target, effect }]),
  ),
  [COMMANDS, HALL].map((target) => ({ kind: 'channel', target, effect: 'allow' })),
  [COMMANDS, HALL, STAGE].map((target) => ({ kind: 'channel', target, effect: 'allow' })),
];

/**
 * Applies the rules to the place of the command, the channel in which members speak, and the channel in which the bot
 * speaks.
 */
function isAllowedEverywhere(
  ruling: { readonly entries: readonly RuleEntry[]; readonly ageRestrictedOnly: boolean },
  places: ReadonlyMap<string, Place>,
): boolean {
  const origin = by(ADA, { isAgeRestricted: true });
  const uses = [...places].map(([channelId, place]) => ({ ...origin, channelId, ...(place ?? UNKNOWN) }));
  return [origin, ...uses].every((use) => isAllowed(ruling, { ...use, capability: 'voice_swap' }));
}

test.each(Object.keys(PLACES))(
  'rules apply to each channel that takes part: the stage is %s',
  async (name) => {
    for (const ageRestrictedOnly of [false, true]) {
      for (const [index, entries] of RULES.entries()) {
        const places = new Map<string, Place>([
          [HALL, { parentChannelIds: [], isAgeRestricted: true }],
          [STAGE, PLACES[name] ?? null],
        ]);
        const { desk, access } = await useDesk({ hasStage: true, placeOf: (id) => places.get(id) ?? null });
        const admin = by(ADA, { isAdmin: true });
        for (const entry of entries) await access.set(admin, entry);
        await access.limit(admin, { ageRestrictedOnly });
        const asker = by(ADA, { isVoiceModerator: true, isAgeRestricted: true });

        const came = await desk.start(asker, { voiceId: nova.id, minutes: 1, stageChannelId: STAGE });

        const expected = isAllowedEverywhere({ entries, ageRestrictedOnly }, places) ? 'ask' : 'refused';
        expect(came.kind, `rules ${index}, age-restricted only: ${ageRestrictedOnly}`).toBe(expected);
      }
    }
  },
);

test.each(Object.keys(PLACES))('rules apply to the channel that is heard: it is %s', async (name) => {
  for (const ageRestrictedOnly of [false, true]) {
    for (const [index, entries] of RULES.entries()) {
      const places = new Map<string, Place>([[HALL, PLACES[name] ?? null]]);
      const { desk, access } = await useDesk({ placeOf: (id) => places.get(id) ?? null });
      const admin = by(ADA, { isAdmin: true });
      for (const entry of entries) await access.set(admin, entry);
      await access.limit(admin, { ageRestrictedOnly });

      const came = await desk.start(by(ADA, { isAgeRestricted: true }), { voiceId: nova.id, minutes: 1 });

      const expected = isAllowedEverywhere({ entries, ageRestrictedOnly }, places) ? 'ask' : 'refused';
      expect(came.kind, `rules ${index}, age-restricted only: ${ageRestrictedOnly}`).toBe(expected);
    }
  }
});

test('a member who deletes their data is not heard from that moment on, before any recheck', async () => {
  const { desk, db, clock, sound } = await useStarted();
  expect(sound().lines.has(ADA)).toBe(true);
  const privacy = new PrivacyDesk({
    db,
    clock,
    pseudonymOf: String,
    onRemoval: (userId) => desk.forget(userId),
    resultKeepMs: 0,
  });

  await privacy.remove(ADA, { keepNeverSwap: false });

  // The bot has stopped listening at once: the clock has not advanced.
  expect(sound().lines.has(ADA)).toBe(false);
});
