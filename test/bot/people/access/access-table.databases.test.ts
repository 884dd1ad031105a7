import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Access } from '../../../../src/bot/people/access/access.ts';
import type { RuleEntry } from '../../../../src/bot/people/access/rules.ts';
import { systemClock } from '../../../../src/base/clock.ts';
import { anOrigin } from '../../../helpers/an-origin.ts';
import { useDatabase } from '../../../db/use-database.ts';
import { isAllowed } from './access-oracle.ts';
import type { CallOrigin } from '../../../../src/bot/jobs/call-origin.ts';

const MEMBER = '5';
const ROLES = ['20', '21'] as const;
/** The places of a command, by name, with the channels that each place belongs to. */
const PLACES = {
  'a text channel': { channelId: '30', parentChannelIds: [] },
  'a channel of a category': { channelId: '30', parentChannelIds: ['40'] },
  'a thread or post': { channelId: '31', parentChannelIds: ['30', '40'] },
  'an unknown place': { channelId: '30', parentChannelIds: null },
} as const;
type Surface = 'job' | 'voice' | 'live';
const CAPABILITY: Readonly<Record<Surface, string>> = {
  job: 'photo_swap',
  voice: 'voice_swap',
  live: 'live_swap_pro',
};

const effect = fc.constantFrom('none' as const, 'allow' as const, 'deny' as const);
const entry = (kind: RuleEntry['kind'], target: string) => effect.map((said) => ({ kind, target, said }));
const case_ = fc.record({
  place: fc.constantFrom(...(Object.keys(PLACES) as (keyof typeof PLACES)[])),
  isAgeRestricted: fc.boolean(),
  roleIds: fc.subarray([...ROLES]),
  ageRestrictedOnly: fc.boolean(),
  said: fc.tuple(
    fc
      .constantFrom('none' as const, 'deny' as const)
      .map((said) => ({ kind: 'member' as const, target: MEMBER, said })),
    ...[...ROLES, '22'].map((id) => entry('role', id)),
    ...['30', '31', '40', '41'].map((id) => entry('channel', id)),
    ...[...Object.values(CAPABILITY), 'avatar'].map((name) => entry('capability', name)),
  ),
});

async function useAccess() {
  const db = await useDatabase();
  const access = await Access.open({ db, clock: systemClock });
  const refuses: Readonly<Record<Surface, (origin: CallOrigin) => Promise<unknown>>> = {
    job: (origin) =>
      db.transaction(`guild:${origin.guildId}`, (trx) =>
        access.refuses(trx, { ...origin, capability: 'photo_swap', parameters: {}, inputs: [] }),
      ),
    voice: (origin) => access.refusesVoice(origin),
    live: (origin) => access.refusesLive(origin),
  };
  let guilds = 0;
  /** Returns for each surface whether it admits the member if the guild has exactly these rules. */
  const lets = async (origin: CallOrigin, entries: readonly RuleEntry[], ageRestrictedOnly: boolean) => {
    const there = { ...origin, guildId: String((guilds += 1)) };
    const admin = { ...there, isAdmin: true };
    for (const one of entries) await access.set(admin, one);
    if (ageRestrictedOnly) await access.limit(admin, { ageRestrictedOnly });
    const answers: Record<string, boolean> = {};
    for (const [surface, ask] of Object.entries(refuses)) answers[surface] = (await ask(there)) === null;
    return answers;
  };
  return { lets };
}

function expected(origin: CallOrigin, entries: readonly RuleEntry[], ageRestrictedOnly: boolean) {
  return Object.fromEntries(
    Object.entries(CAPABILITY).map(([surface, capability]) => [
      surface,
      isAllowed({ entries, ageRestrictedOnly }, { ...origin, capability }),
    ]),
  );
}

test('any two rules of one kind have the documented effect, in every place and on every surface', async () => {
  const { lets } = await useAccess();
  const effects = ['allow', 'deny'] as const;
  const pairs = {
    role: ['20', '21'],
    channel: ['30', '40'],
    capability: ['photo_swap', 'voice_swap'],
  } as const;
  for (const [kind, [one, other]] of Object.entries(pairs) as [keyof typeof pairs, [string, string]][]) {
    for (const [first, second] of effects.flatMap((a) => effects.map((b) => [a, b] as const))) {
      for (const [name, place] of Object.entries(PLACES)) {
        const origin = anOrigin({ ...place, userId: MEMBER, roleIds: [...ROLES] });
        const entries: RuleEntry[] = [
          { kind, target: one, effect: first },
          { kind, target: other, effect: second },
        ];
        expect(await lets(origin, entries, false), `${kind} ${first} ${second} in ${name}`).toEqual(
          expected(origin, entries, false),
        );
      }
    }
  }
});

test('any number of rules have the documented effect', async () => {
  const { lets } = await useAccess();
  await fc.assert(
    fc.asyncProperty(case_, async ({ place, isAgeRestricted, roleIds, ageRestrictedOnly, said }) => {
      const origin = anOrigin({ ...PLACES[place], isAgeRestricted, roleIds, userId: MEMBER });
      const entries = said.flatMap(({ kind, target, said: word }): RuleEntry[] =>
        word === 'none' ? [] : [{ kind, target, effect: word }],
      );
      // With many rules, nearly everything is refused, so smaller sets of rules test more.
      const few = entries.slice(0, 3);
      for (const those of [few, entries]) {
        expect(await lets(origin, those, ageRestrictedOnly)).toEqual(
          expected(origin, those, ageRestrictedOnly),
        );
      }
    }),
    { numRuns: 60 },
  );
});
