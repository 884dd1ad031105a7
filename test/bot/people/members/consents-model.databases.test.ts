import fc from 'fast-check';
import { expect, test } from 'vitest';
import { FakeClock } from '../../../helpers/fake-clock.ts';
import type { InputOwner } from '../../../../src/bot/jobs/inputs/inputs.ts';
import { ConsentStore } from '../../../../src/bot/people/members/consent-store.ts';
import { anOrigin } from '../../../helpers/an-origin.ts';
import { TEST_DATABASE } from '../../../db/database-url.ts';
import { useDatabase } from '../../../db/use-database.ts';
import type { AvatarAnswer } from '../../../../src/bot/people/members/avatar-answer.ts';

const GUILDS = ['100', '200'] as const;
const MEMBERS = ['100', '300', '500'] as const;
const NAMED_MAX = 100;

const guildId = fc.constantFrom(...GUILDS);
const member = fc.constantFrom(...MEMBERS);
const answer: fc.Arbitrary<AvatarAnswer> = fc.oneof(
  fc.constantFrom({ allow: 'everybody' } as const, { allow: 'nobody' } as const),
  fc.record({ allow: fc.constant('user' as const), userId: member }),
);
const command = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({ do: fc.constant('answer' as const), guildId, owner: member, answer }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('never' as const), owner: member, on: fc.boolean() }),
  },
);

async function useConsents() {
  const db = await useDatabase();
  const clock = new FakeClock(1_000);
  const consents = new ConsentStore({ db, clock });
  /** Returns the rule that refuses a job by `userId` with pictures of these owners, or with their saved faces. */
  const refusal = (userId: string, owners: readonly InputOwner[], guild: string = GUILDS[0]) =>
    db.transaction(`guild:${guild}`, (trx) =>
      consents.refuses(
        trx,
        { ...anOrigin({ guildId: guild, userId }), capability: 'photo_swap', parameters: {}, inputs: [] },
        owners,
      ),
    );
  return { db, clock, consents, refusal };
}

/** An owner's permissions in one guild, as the documentation describes them. */
class Words {
  readonly named = new Set<string>();
  everybody = false;
}

test('an avatar is used as its owner last allowed, in that server and by the named members, whatever they allowed before', async () => {
  const { db, clock, consents, refusal } = await useConsents();
  await fc.assert(
    fc.asyncProperty(fc.array(command, { minLength: 3, maxLength: 15, size: 'max' }), async (commands) => {
      await db.kysely.deleteFrom('avatar_consents').execute();
      await db.kysely.deleteFrom('never_swap').execute();
      const words = new Map<string, Words>();
      const since = new Map<string, number>();
      const wordsOf = (guild: string, owner: string): Words => {
        const said = words.get(`${guild} ${owner}`) ?? new Words();
        words.set(`${guild} ${owner}`, said);
        return said;
      };
      for (const one of commands) {
        await clock.advance(1);
        if (one.do === 'never') {
          await consents.setNeverSwap(one.owner, one.on);
          if (!one.on) since.delete(one.owner);
          else if (!since.has(one.owner)) since.set(one.owner, clock.now());
          continue;
        }
        const origin = anOrigin({ guildId: one.guildId, userId: one.owner });
        if (since.has(one.owner) && one.answer.allow !== 'nobody') {
          await expect(consents.answerAvatar(origin, one.answer)).rejects.toMatchObject({
            code: 'never_swap',
          });
          continue;
        }
        await consents.answerAvatar(origin, one.answer);
        const said = wordsOf(one.guildId, one.owner);
        if (one.answer.allow === 'user') said.named.add(one.answer.userId);
        else {
          said.named.clear();
          said.everybody = one.answer.allow === 'everybody';
        }
      }
      for (const ownerId of MEMBERS) {
        expect(await consents.neverSwapSinceMs(ownerId)).toBe(since.get(ownerId) ?? null);
        for (const [guild, userId] of GUILDS.flatMap((id) => MEMBERS.map((by) => [id, by] as const))) {
          const { named, everybody } = wordsOf(guild, ownerId);
          const isNever = since.has(ownerId);
          const isOwn = userId === ownerId;
          const may = !isNever && (isOwn || everybody || named.has(userId));
          const rule = isOwn ? { rule: 'own_never_swap' } : { rule: 'never_swap', ownerId };
          const told = isNever ? rule : may ? null : { rule: 'avatar_not_allowed', ownerId };
          expect(await consents.mayUseAvatar(guild, ownerId, userId)).toBe(may);
          expect(await refusal(userId, [{ kind: 'avatar', userId: ownerId }], guild)).toEqual(told);
          // Posted pictures and saved faces need no permission, but they are never used if their owner asked not to be
          // swapped.
          for (const kind of ['message', 'face'] as const) {
            expect(await refusal(userId, [{ kind, userId: ownerId }], guild)).toEqual(isNever ? rule : null);
          }
        }
      }
    }),
    { numRuns: TEST_DATABASE === 'postgres' ? 6 : 30 },
  );
});

test('a job with several people needs the permission of each owner, and fails if one has left', async () => {
  const { consents, refusal } = await useConsents();
  const [ada, ben, cat] = MEMBERS;
  const by = { guildId: GUILDS[0], userId: cat };
  await consents.answerAvatar(anOrigin({ guildId: GUILDS[0], userId: ada }), { allow: 'everybody' });
  const adas: InputOwner = { kind: 'avatar', userId: ada };
  const bens: InputOwner = { kind: 'avatar', userId: ben };
  const gone: InputOwner = { kind: 'gone' };
  const notBens = { rule: 'avatar_not_allowed', ownerId: ben };
  const table: readonly (readonly [readonly InputOwner[], object | null])[] = [
    [[], null],
    [[adas], null],
    [[adas, bens], notBens],
    [[bens, adas], notBens],
    [[adas, gone], { rule: 'owner_gone' }],
    [[gone], { rule: 'owner_gone' }],
  ];
  for (const [owners, told] of table) {
    expect(await refusal(cat, owners)).toEqual(told);
    expect(await consents.allow(by, owners)).toBe(told === null);
  }
});

test('an owner may name a limited number of members in each server, and change each permission', async () => {
  const { db, consents } = await useConsents();
  const owner = anOrigin({ guildId: GUILDS[0], userId: MEMBERS[0] });
  const names = (userId: string, origin = owner) => consents.answerAvatar(origin, { allow: 'user', userId });
  await consents.answerAvatar(owner, { allow: 'nobody' });
  await db.kysely
    .insertInto('avatar_consents')
    .values(
      Array.from({ length: NAMED_MAX - 1 }, (_, index) => ({
        guild_id: owner.guildId,
        owner_id: owner.userId,
        user_id: String(1_000 + index),
        is_allowed: 1,
        given_at_ms: 1,
        text_version: 'avatar-1',
      })),
    )
    .execute();
  const mayUse = (userId: string) => consents.mayUseAvatar(owner.guildId, owner.userId, userId);

  await names('7');
  await expect(names('8')).rejects.toMatchObject({ code: 'too_many' });
  await names('7');
  expect([await mayUse('7'), await mayUse('8')]).toEqual([true, false]);
  await names('8', { ...owner, guildId: GUILDS[1] });
  await names('8', { ...owner, userId: MEMBERS[1] });
  await consents.answerAvatar(owner, { allow: 'nobody' });
  await names('8');
  expect([await mayUse('7'), await mayUse('8')]).toEqual([false, true]);
});

test('a permission is stored with its time and wording, and again when it is repeated', async () => {
  const { db, clock, consents } = await useConsents();
  const owner = anOrigin({ guildId: GUILDS[0], userId: MEMBERS[0] });
  const stored = () => db.kysely.selectFrom('avatar_consents').selectAll().execute();
  const common = { guild_id: owner.guildId, owner_id: owner.userId, text_version: 'avatar-1' };
  for (const [answered, word] of [
    [
      { allow: 'user', userId: '7' },
      { user_id: '7', is_allowed: 1 },
    ],
    [
      { allow: 'user', userId: '7' },
      { user_id: '7', is_allowed: 1 },
    ],
    [{ allow: 'everybody' }, { user_id: '', is_allowed: 1 }],
    [{ allow: 'nobody' }, { user_id: '', is_allowed: 0 }],
    [{ allow: 'nobody' }, { user_id: '', is_allowed: 0 }],
  ] as const) {
    await clock.advance(1);
    await consents.answerAvatar(owner, answered);
    expect(await stored()).toEqual([{ ...common, ...word, given_at_ms: clock.now() }]);
  }
  await consents.setNeverSwap(owner.userId, true);
  const sinceMs = clock.now();
  await clock.advance(1);
  await consents.setNeverSwap(owner.userId, true);
  expect(await db.kysely.selectFrom('never_swap').selectAll().execute()).toEqual([
    { user_id: owner.userId, since_ms: sinceMs, text_version: 'never-swap-1' },
  ]);
});
