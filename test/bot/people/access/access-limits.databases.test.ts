import { expect, test } from 'vitest';
import { insertJob } from '../../../../db/queries/jobs.ts';
import { putRuleEntry, renameBlockedMember } from '../../../../db/queries/guild-rules.ts';
import type { JobStage, NewJob } from '../../../../db/schema/jobs.ts';
import { Access } from '../../../../src/bot/people/access/access.ts';
import type { AccessLimits, RuleEntry } from '../../../../src/bot/people/access/rules.ts';
import { FakeClock } from '../../../helpers/fake-clock.ts';
import { anOrigin } from '../../../helpers/an-origin.ts';
import { aJob } from '../../../db/a-job.ts';
import { useDatabase } from '../../../db/use-database.ts';

const ADA = '100';
const BEN = '200';
const HERE = '3';
const THERE = '4';
const ENTRIES_MAX = 200;
const admin = anOrigin({ guildId: HERE, userId: '9', isAdmin: true });
const isOpenAt: Readonly<Record<JobStage, boolean>> = {
  accepted: true,
  fetched: true,
  uploaded: true,
  submitting: true,
  submitted: true,
  finished: true,
  charged: true,
  collected: true,
  posted: true,
  settled: false,
  abandoned: false,
};

async function useAccess(defaults: Partial<AccessLimits> = {}) {
  const db = await useDatabase();
  const clock = new FakeClock();
  const access = await Access.open({ db, clock, defaults });
  const gone = access.pseudonymOf(ADA);
  let jobs = 0;
  /** Inserts a job for Ada in this guild, unless `changes` say otherwise. */
  const job = (changes: Partial<NewJob> = {}): Promise<unknown> =>
    db.transaction(`guild:${HERE}`, (trx) =>
      insertJob(trx, aJob(String((jobs += 1)), { guild_id: HERE, user_id: ADA, ...changes })),
    );
  const refusal = (changes: Parameters<typeof anOrigin>[0] = {}) =>
    db.transaction(`guild:${HERE}`, (trx) =>
      access.refuses(trx, {
        ...anOrigin({ guildId: HERE, userId: ADA, ...changes }),
        capability: 'photo_swap',
        parameters: {},
        inputs: [],
      }),
    );
  return { db, clock, access, gone, job, refusal };
}

test.each([1, 2])(
  'a member with %i allowed jobs may start another one only with fewer, including jobs from before a deletion',
  async (max) => {
    const { access, gone, job, refusal } = await useAccess();
    for (let own = 0; own <= max; own++) {
      for (let before = 0; before <= max; before++) {
        const guildId = `3${own}${before}`;
        await access.limit({ ...admin, guildId }, { concurrentMax: max });
        for (let index = 0; index < own; index++) await job({ guild_id: guildId });
        for (let index = 0; index < before; index++) await job({ guild_id: guildId, user_id: gone });
        await job({ guild_id: guildId, user_id: BEN });
        expect(await refusal({ guildId }), `${own} jobs, ${before} from before`).toEqual(
          own + before < max ? null : { rule: 'concurrent', max },
        );
      }
    }
  },
);

test.each(Object.entries(isOpenAt))('a job that is %s counts as running: %s', async (stage, isOpen) => {
  const { access, job, refusal } = await useAccess();
  await access.limit(admin, { concurrentMax: 1 });
  await job({ stage: stage as JobStage });
  expect((await refusal())?.rule).toBe(isOpen ? 'concurrent' : undefined);
});

test.each([
  { name: 'one job', own: [10_000], before: [], last: 10_000 },
  { name: 'the last of two jobs', own: [10_000, 40_000], before: [], last: 40_000 },
  { name: 'a job from before a deletion', own: [], before: [20_000], last: 20_000 },
  { name: 'an own job after a deletion', own: [50_000], before: [20_000], last: 50_000 },
  { name: 'a deletion after an own job', own: [20_000], before: [50_000], last: 50_000 },
])('the pause of a member ends that long after $name, to the millisecond', async ({ own, before, last }) => {
  const { clock, access, gone, job, refusal } = await useAccess();
  const startMs = clock.now();
  await access.limit(admin, { cooldownSeconds: 60 });
  for (const ms of own) await job({ accepted_at_ms: startMs + ms, stage: 'settled' });
  for (const ms of before) await job({ accepted_at_ms: startMs + ms, stage: 'settled', user_id: gone });
  await job({ accepted_at_ms: startMs + 55_000, user_id: BEN });
  await job({ accepted_at_ms: startMs + 55_000, guild_id: THERE });
  await job({ accepted_at_ms: startMs + 55_000, stage: 'abandoned' });

  const endsAtMs = startMs + last + 60_000;
  await clock.advance(endsAtMs - 1 - startMs);
  expect(await refusal()).toEqual({ rule: 'cooldown', seconds: 60, endsAtMs });
  await clock.advance(1);
  expect(await refusal()).toBeNull();
});

test('limits of jobs delay nobody who never had a job, and do not apply to sessions', async () => {
  const { access, job, refusal } = await useAccess({ cooldownSeconds: 86_400, concurrentMax: 1 });
  expect(await refusal()).toBeNull();
  await job({ accepted_at_ms: Date.UTC(2026, 0, 1) });
  expect(await refusal()).toEqual({ rule: 'concurrent', max: 1 });
  const origin = anOrigin({ guildId: HERE, userId: ADA });
  expect([await access.refusesVoice(origin), await access.refusesLive(origin)]).toEqual([null, null]);
});

test('a refusal names the rule on which the other rules depend', async () => {
  const { clock, access, job, refusal } = await useAccess();
  const ask = async () => (await refusal({ roleIds: ['20'] }))?.rule ?? null;
  const broken: readonly RuleEntry[] = [
    { kind: 'member', target: ADA, effect: 'deny' },
    { kind: 'channel', target: '4', effect: 'deny' },
    { kind: 'role', target: '20', effect: 'deny' },
    { kind: 'capability', target: 'photo_swap', effect: 'deny' },
  ];
  for (const entry of broken) await access.set(admin, entry);
  await access.limit(admin, { ageRestrictedOnly: true, concurrentMax: 1, cooldownSeconds: 60 });
  await job({ accepted_at_ms: clock.now() });

  const told = [await ask()];
  for (const takeBack of [
    () => access.clear(admin, { kind: 'member', target: ADA }),
    () => access.limit(admin, { ageRestrictedOnly: false }),
    () => access.clear(admin, { kind: 'channel', target: '4' }),
    () => access.clear(admin, { kind: 'role', target: '20' }),
    () => access.clear(admin, { kind: 'capability', target: 'photo_swap' }),
    () => access.limit(admin, { concurrentMax: 2 }),
    () => access.limit(admin, { cooldownSeconds: 0 }),
  ]) {
    await takeBack();
    told.push(await ask());
  }
  const rules = ['blocked', 'age_restricted', 'channel', 'role', 'capability', 'concurrent', 'cooldown'];
  expect(told).toEqual([...rules, null]);
});

test('a refusal names up to five allowed places or roles, and no role to a blocked member', async () => {
  const { access, refusal } = await useAccess();
  const allow = async (kind: 'role' | 'channel', count: number) => {
    for (let id = 1; id <= count; id++) {
      await access.set(admin, { kind, target: `${kind === 'role' ? 5 : 7}${id}`, effect: 'allow' });
    }
  };
  await access.set(admin, { kind: 'channel', target: '4', effect: 'deny' });
  expect(await refusal()).toEqual({ rule: 'channel', allowedIds: [] });
  await allow('channel', 5);
  expect(await refusal()).toEqual({ rule: 'channel', allowedIds: ['71', '72', '73', '74', '75'] });
  await allow('channel', 6);
  expect(await refusal()).toEqual({ rule: 'channel', allowedIds: ['71', '72', '73', '74', '75'] });

  await allow('role', 6);
  const place = { channelId: '71' };
  expect(await refusal(place)).toEqual({ rule: 'role', neededIds: ['51', '52', '53', '54', '55'] });
  await access.set(admin, { kind: 'role', target: '20', effect: 'deny' });
  expect(await refusal(place)).toMatchObject({ neededIds: ['51', '52', '53', '54', '55'] });
  expect(await refusal({ ...place, roleIds: ['20', '51'] })).toEqual({ rule: 'role', neededIds: [] });
  expect(await refusal({ ...place, roleIds: ['51', '30'] })).toBeNull();
});

test('the list of rules has a maximum length, each of its rules applies, and a full list can still be changed', async () => {
  const { db, access, gone, refusal } = await useAccess();
  await db.transaction(`guild:${HERE}`, async (trx) => {
    for (let id = 1_000; id < 1_000 + ENTRIES_MAX - 3; id++) {
      await putRuleEntry(trx, { guild_id: HERE, kind: 'role', target: String(id), effect: 'deny' });
    }
  });
  await access.set(admin, { kind: 'member', target: ADA, effect: 'deny' });
  await access.set(admin, { kind: 'channel', target: '44', effect: 'allow' });
  await access.set(admin, { kind: 'role', target: '9999', effect: 'allow' });
  const count = async () => (await access.view(admin)).entries.length;
  const add = (entry: RuleEntry) => access.set(admin, entry);
  expect(await count()).toBe(ENTRIES_MAX);

  for (const kind of ['member', 'role', 'channel', 'capability'] as const) {
    // Some of these ids are already targets of rules of another kind.
    for (const target of ['77', kind === 'channel' ? '9999' : '44']) {
      await expect(add({ kind, target, effect: 'deny' })).rejects.toMatchObject({ code: 'too_many' });
    }
  }
  for (const effect of ['deny', 'allow', 'deny'] as const) {
    await add({ kind: 'role', target: '9999', effect });
    await add({ kind: 'channel', target: '44', effect });
  }
  // The last rule in a full list takes effect like any other.
  expect((await access.view(admin)).entries.at(-1)).toEqual({ kind: 'role', target: '9999', effect: 'deny' });
  expect(await access.clear(admin, { kind: 'member', target: ADA })).toBe(true);
  expect((await refusal({ roleIds: ['9999'] }))?.rule).toBe('role');
  await add({ kind: 'member', target: ADA, effect: 'deny' });

  // If a member was blocked before their data was deleted, blocking their id again replaces that block.
  await db.transaction(`member:${ADA}`, (trx) => renameBlockedMember(trx, ADA, gone));
  await add({ kind: 'member', target: ADA, effect: 'deny' });
  expect(await count()).toBe(ENTRIES_MAX);
  expect((await refusal())?.rule).toBe('blocked');
  // A full list in one server does not affect other servers.
  await access.set({ ...admin, guildId: THERE }, { kind: 'role', target: '77', effect: 'deny' });
});

test.each([
  { limit: 'cooldownSeconds', good: [0, 1, 86_400, null], bad: [-1, 86_401, 1.5, NaN, Infinity] },
  { limit: 'concurrentMax', good: [1, 2, 50, null], bad: [-1, 0, 51, 1.5, NaN, Infinity] },
] as const)('$limit accepts whole numbers within its range', async ({ limit, good, bad }) => {
  const { access } = await useAccess({ cooldownSeconds: 7, concurrentMax: 8 });
  const usual = { cooldownSeconds: 7, concurrentMax: 8 }[limit];
  for (const value of good) {
    await access.limit(admin, { [limit]: value });
    expect((await access.view(admin))[limit]).toBe(value ?? usual);
  }
  await access.limit(admin, { [limit]: 5 });
  for (const value of bad) {
    await expect(access.limit(admin, { [limit]: value })).rejects.toMatchObject({
      code: 'out_of_range',
    });
  }
  expect((await access.view(admin))[limit]).toBe(5);
});

test('a block applies on every surface after the member deletes their data, until it is removed', async () => {
  const { db, clock, access, gone, refusal } = await useAccess();
  const origin = anOrigin({ guildId: HERE, userId: ADA });
  for (const guildId of [HERE, THERE]) {
    const there = { ...admin, guildId };
    await access.set(there, { kind: 'member', target: ADA, effect: 'deny' });
    await access.set(there, { kind: 'role', target: ADA, effect: 'deny' });
    await access.set(there, { kind: 'member', target: BEN, effect: 'deny' });
  }
  await db.transaction(`member:${ADA}`, (trx) => renameBlockedMember(trx, ADA, gone));
  const blocked = { rule: 'blocked' };
  for (const guildId of [HERE, THERE]) {
    expect(await refusal({ guildId })).toEqual(blocked);
    expect(await access.refusesVoice({ ...origin, guildId })).toEqual(blocked);
    expect(await access.refusesLive({ ...origin, guildId })).toEqual(blocked);
    const { entries } = await access.view({ ...admin, guildId });
    expect(entries.filter(({ kind }) => kind === 'member').map(({ target }) => target)).toEqual([BEN, gone]);
    expect(entries).toContainEqual({ kind: 'role', target: ADA, effect: 'deny' });
  }
  // Another process of the same installation recognises the member again.
  const again = await Access.open({ db, clock });
  expect(again.pseudonymOf(ADA)).toBe(gone);
  expect(await again.clear(admin, { kind: 'member', target: ADA })).toBe(true);
  expect(await again.clear(admin, { kind: 'member', target: ADA })).toBe(false);
  expect(await refusal()).toBeNull();
  expect(await refusal({ guildId: THERE })).toEqual(blocked);
});

test('the last rule about a member before and after deletions applies, and no other is listed', async () => {
  const { db, access, refusal } = await useAccess();
  const every = ['allow', 'deny', 'clear', 'delete'] as const;
  type Word = (typeof every)[number];
  const more = (said: readonly Word[]): Word[][] => every.map((word) => [...said, word]);
  const sequences = more([]).flatMap(more).flatMap(more);
  let members = 0;
  for (const said of [...sequences, ...sequences.map((those) => [...those, 'delete', 'allow'] as Word[])]) {
    const userId = String(1_000 + (members += 1));
    const guildId = `5${userId}`;
    const there = { ...admin, guildId };
    const target = { kind: 'member', target: userId } as const;
    const heard = said.join(', ');
    let listed: readonly RuleEntry[] = [];
    for (const word of said) {
      if (word === 'delete') {
        const gone = access.pseudonymOf(userId);
        await db.transaction(`member:${userId}`, (trx) => renameBlockedMember(trx, userId, gone));
        listed = listed.map((entry) => ({ ...entry, target: gone }));
      } else if (word === 'clear') {
        expect(await access.clear(there, target), `after ${heard}`).toBe(listed.length > 0);
        listed = [];
      } else {
        listed = [{ ...target, effect: word }];
        for (const entry of listed) await access.set(there, entry);
      }
    }
    expect((await access.view(there)).entries, `after ${heard}`).toEqual(listed);
    expect(await refusal({ guildId, userId }), `after ${heard}`).toEqual(
      listed.some(({ effect }) => effect === 'deny') ? { rule: 'blocked' } : null,
    );
  }
});
