import { stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { findJob } from '../../../../db/queries/jobs.ts';
import { pseudonymiseJob } from '../../../../db/queries/personal-data.ts';
import type { JobStage } from '../../../../db/schema/jobs.ts';
import { useFolder } from '../../../helpers/use-folder.ts';
import { FILLED, type Row, type Subject } from './filled-tables.ts';
import { type Removal, cellsWith, fill, put, rowsOf, useRemoval } from './use-removal.ts';

const ADA: Subject = { name: 'a', userId: '700000000000000001', guildId: '800000000000000001' };
const BEN: Subject = { name: 'b', userId: '700000000000000002', guildId: '800000000000000001' };
const THERE = '800000000000000002';
const DAY_MS = 86_400_000;
const NOW_MS = 1_000_000;
/** The stages in which the service does not have all of a job's inputs yet. */
const NEEDS_INPUTS: readonly JobStage[] = ['accepted', 'fetched', 'uploaded', 'submitting'];
const STAGES: readonly JobStage[] = [
  ...NEEDS_INPUTS,
  ...(['submitted', 'finished', 'charged', 'collected', 'posted', 'settled', 'abandoned'] as const),
];

async function usersIn({ db }: Removal, table: string, key = 'id'): Promise<Record<string, unknown>> {
  return Object.fromEntries((await rowsOf(db, table)).map((row) => [String(row[key]), row['user_id']]));
}

test.each([
  { lease: 'none', until: null, came: 'done' },
  { lease: 'that expires now', until: NOW_MS, came: 'done' },
  { lease: 'that expires next', until: NOW_MS + 1, came: 'wait' },
] as const)('a removal waits for a worker with a lease $lease: $came', async ({ until, came }) => {
  const place = await useRemoval();
  const lease = until === null ? {} : { lease_owner: 'worker', lease_until_ms: until };
  await put(place.db, 'jobs', ADA, lease);
  await place.begin('member', ADA.userId);

  expect(await place.part()).toBe(came);
  expect((await usersIn(place, 'jobs'))['job_a'] === ADA.userId).toBe(came === 'wait');
  await place.clock.advance(1);
  expect(await place.part()).toBe(came === 'wait' ? 'done' : null);
  expect(await cellsWith(place.db, ADA.userId)).toEqual([]);
});

test('a worker that takes a job while it is emptied keeps it, and an earlier worker has lost it', async () => {
  const place = await useRemoval();
  await put(place.db, 'jobs', ADA);
  const seen = await findJob(place.db.kysely, 'job_a');
  if (!seen) throw new Error('There is no such job');
  const empty = (row: typeof seen, nowMs = NOW_MS): Promise<boolean> =>
    place.db.transaction(`guild:${ADA.guildId}`, (trx) =>
      pseudonymiseJob(trx, row, { pseudonym: 'gone_a', nowMs }),
    );
  const claim = { fence: seen.fence + 1, lease_owner: 'worker', lease_until_ms: NOW_MS + 5 };
  await place.db.kysely.updateTable('jobs').set(claim).execute();

  expect(await empty(seen)).toBe(false);
  // The job is not emptied after the worker has released it either.
  const given = { lease_owner: null, lease_until_ms: null };
  await place.db.kysely.updateTable('jobs').set(given).execute();
  expect(await empty(seen)).toBe(false);
  await place.db.kysely.updateTable('jobs').set(claim).execute();
  expect(await empty({ ...seen, ...claim }, NOW_MS + 4)).toBe(false);
  expect(await usersIn(place, 'jobs')).toEqual({ job_a: ADA.userId });
  expect(await empty({ ...seen, ...claim }, NOW_MS + 5)).toBe(true);
  expect((await findJob(place.db.kysely, 'job_a'))?.fence).toBeGreaterThan(claim.fence);
});

test.each([{ kind: 'member' }, { kind: 'guild' }] as const)(
  'the removal of a $kind covers the data stored up to its time, and nothing later',
  async ({ kind }) => {
    const place = await useRemoval();
    const { db } = place;
    const later: Subject = { ...ADA, name: 'later' };
    for (const [of, atMs] of [
      [ADA, NOW_MS],
      [later, NOW_MS + 1],
    ] as const) {
      await put(place.db, 'jobs', of, { accepted_at_ms: atMs });
      await put(place.db, 'holds', of, { created_at_ms: atMs });
      await put(place.db, 'sessions', of, { opened_at_ms: atMs });
      await put(place.db, 'overrun_watches', of);
    }
    await place.begin(kind, kind === 'member' ? ADA.userId : ADA.guildId);
    await place.finish();

    const gone = expect.stringMatching(/^gone_/);
    expect(await usersIn(place, 'jobs')).toEqual({ job_a: gone, job_later: ADA.userId });
    expect(await usersIn(place, 'sessions')).toEqual({ session_a: gone, session_later: ADA.userId });
    expect(await usersIn(place, 'holds', 'subject')).toEqual({ job_a: gone, job_later: ADA.userId });
    // The sums and the overrun watches are changed together with the holds.
    const sums = await rowsOf(db, 'spending');
    expect(sums).toHaveLength(2);
    for (const user_id of [ADA.userId, gone]) {
      expect(sums).toContainEqual(expect.objectContaining({ user_id, posted_micros: 60_000 }));
    }
    const watches = kind === 'member' ? { job_a: gone, job_later: ADA.userId } : {};
    expect(await usersIn(place, 'overrun_watches', 'subject')).toEqual(watches);
  },
);

test.each([
  { reply: '1', result: '2', asked: ['1', '2'] },
  { reply: '1', result: '1', asked: ['1'] },
  { reply: '1', result: null, asked: ['1'] },
  { reply: null, result: '2', asked: ['2'] },
  { reply: null, result: null, asked: [] },
])(
  'for a job with the messages $reply and $result, the removal deletes: $asked',
  async ({ reply, result, asked }) => {
    for (const answer of [true, false]) {
      const place = await useRemoval();
      await put(place.db, 'jobs', ADA, { reply_message_id: reply, result_message_id: result });
      place.chat.answer = () => Promise.resolve(answer);
      await place.begin('member', ADA.userId);
      await place.finish();
      expect(place.asked).toEqual(asked.map((messageId) => ({ channelId: 'channel_a', messageId })));
      // The member can see which messages the bot was not allowed to delete. The next attempt to delete them is a day
      // later.
      const noted = (await rowsOf(place.db, 'undeleted_messages')).toSorted((one, other) =>
        String(one['message_id']) < String(other['message_id']) ? -1 : 1,
      );
      const common = { guild_id: ADA.guildId, channel_id: 'channel_a', user_id: ADA.userId };
      const times = { noted_at_ms: NOW_MS, due_at_ms: NOW_MS + DAY_MS };
      expect(noted).toEqual(answer ? [] : asked.map((message_id) => ({ message_id, ...common, ...times })));
    }
  },
);

test('a removal tries for a day to delete messages while the chat cannot be reached, then continues', async () => {
  const place = await useRemoval();
  await put(place.db, 'jobs', ADA);
  place.chat.answer = () => Promise.reject(new Error('No answer'));
  await place.begin('member', ADA.userId);
  await expect(place.part()).rejects.toThrow('No answer');
  await place.clock.advance(DAY_MS - 1);
  await expect(place.part()).rejects.toThrow('No answer');
  expect(place.cleared).toEqual([]);
  expect(await usersIn(place, 'jobs')).toEqual({ job_a: ADA.userId });
  await place.clock.advance(1);
  expect(await place.part()).toBe('done');
  expect(place.cleared).toEqual(['job_a']);
  expect(await place.privacy.see(ADA.userId)).toMatchObject({
    undeleted: [`reply to ${ADA.userId}`, `result of ${ADA.userId}`].map(
      (id) => `https://discord.com/channels/${ADA.guildId}/channel_a/${id}`,
    ),
  });
});

test('a removal of many jobs or members ends, one batch at a time', async () => {
  const place = await useRemoval();
  const { kysely } = place.db;
  const row = (index: number): Subject => ({ ...ADA, name: String(index), userId: String(1_000 + index) });
  const many = Array.from({ length: 101 }, (_, index) => index);
  await kysely
    .insertInto('jobs')
    .values(many.map((index) => FILLED['jobs']?.(row(index)) as never))
    .execute();
  await kysely
    .insertInto('holds')
    .values(many.map((index) => FILLED['holds']?.(row(index)) as never))
    .execute();

  await place.begin('guild', ADA.guildId);
  await place.finish();

  expect(new Set(place.cleared).size).toBe(many.length);
  for (const [table, key] of [
    ['jobs', 'id'],
    ['holds', 'subject'],
  ] as const) {
    const users = Object.values(await usersIn(place, table, key));
    expect(users.filter((user) => !String(user).startsWith('gone_'))).toEqual([]);
    expect(new Set(users).size).toBe(many.length);
  }
});

test('a removal that is requested again meanwhile continues with the data added since', async () => {
  const place = await useRemoval();
  await put(place.db, 'jobs', ADA);
  place.chat.answer = async () => {
    place.chat.answer = () => Promise.resolve(true);
    await place.clock.advance(10);
    await put(place.db, 'jobs', { ...ADA, name: 'since' }, { accepted_at_ms: NOW_MS + 10 });
    await place.begin('member', ADA.userId);
    return true;
  };
  await place.begin('member', ADA.userId);

  expect(await place.part()).toBe('again');
  expect(await usersIn(place, 'jobs')).toMatchObject({ job_since: ADA.userId });
  await place.finish();
  expect(await cellsWith(place.db, ADA.userId)).toEqual([]);
  const pseudonym = place.access.pseudonymOf(ADA.userId);
  expect(await usersIn(place, 'jobs')).toEqual({ job_a: pseudonym, job_since: pseudonym });
});

test.each(STAGES)(
  'nothing of a job that is %s is shown after its member requests the removal',
  async (stage) => {
    const place = await useRemoval();
    const isOver = stage === 'settled' || stage === 'abandoned';
    const there: Subject = { ...ADA, name: 'there', guildId: THERE };
    for (const of of [ADA, there, BEN]) await put(place.db, 'jobs', of, { stage });
    const taken = async () =>
      Object.fromEntries(
        (await rowsOf(place.db, 'jobs')).map((row) => [row['id'], [row['taken_back'], row['woken_at_ms']]]),
      );
    const left = [null, null];
    const stopped = isOver ? left : ['deleted', NOW_MS];

    await place.begin('member', ADA.userId);
    expect(await taken()).toEqual({ job_a: stopped, job_there: stopped, job_b: left });
    await place.begin('guild', ADA.guildId);
    expect(await taken()).toEqual({ job_a: stopped, job_there: stopped, job_b: stopped });

    await place.finish();
    // A request body is kept only if it may already have reached the service, because it must then be repeated
    // unchanged.
    const bodies = (await rowsOf(place.db, 'jobs')).map((row) => row['request_body']);
    expect(bodies.filter((body) => body !== null)).toHaveLength(stage === 'submitting' ? 3 : 0);
  },
);

test.each(STAGES)(
  "a member's picture in another member's job, which is %s, is deleted once the job does not need it",
  async (stage) => {
    const place = await useRemoval();
    const path = join(await useFolder(), 'picture.png');
    await writeFile(path, 'x');
    const later = { ...BEN, name: 'later' };
    for (const [of, accepted_at_ms] of [
      [BEN, NOW_MS],
      [later, NOW_MS + 1],
    ] as const) {
      await put(place.db, 'jobs', of, { stage, accepted_at_ms });
      await put(place.db, 'job_inputs', of, { path: of === BEN ? path : '/nowhere/later' });
      await put(place.db, 'job_input_owners', of, { owner_id: ADA.userId, kind: 'avatar' });
    }
    const isNeeded = NEEDS_INPUTS.includes(stage);
    await place.begin('member', ADA.userId);

    expect(await place.part()).toBe(isNeeded ? 'wait' : 'done');
    const owners = (await rowsOf(place.db, 'job_input_owners')).toSorted((one, other) =>
      String(one['job_id']) < String(other['job_id']) ? -1 : 1,
    );
    const kept = { owner_id: ADA.userId, kind: 'avatar' };
    expect(owners).toMatchObject([
      { job_id: 'job_b', ...(isNeeded ? kept : { owner_id: '', kind: 'gone' }) },
      { job_id: 'job_later', ...kept },
    ]);
    const isThere = await stat(path).then(
      () => true,
      () => false,
    );
    expect(isThere).toBe(isNeeded);
  },
);

test('a member can keep nothing but "never swap my face"', async () => {
  for (const keepNeverSwap of [true, false]) {
    const place = await useRemoval();
    await fill(place.db, ADA);
    await place.privacy.remove(ADA.userId, { keepNeverSwap });
    await place.finish();
    const told = 'undeleted_messages.user_id';
    expect(await cellsWith(place.db, ADA.userId)).toEqual(
      keepNeverSwap ? ['never_swap.user_id', told] : [told],
    );
  }
});

test('the latest of several limits for the same target stays, and each still recognises the member', async () => {
  const place = await useRemoval();
  const gone = place.access.pseudonymOf(ADA.userId);
  const cap = (limit_micros: number, changes: Row) =>
    put(place.db, 'caps', ADA, { limit_micros, ...changes });
  await cap(1, { target_id: gone });
  await cap(2, {});
  await cap(3, { target_id: gone, period: 'week' });
  await cap(4, { target_id: gone, capability: 'lip_sync' });
  await cap(5, { target_id: gone, target_kind: 'role' });
  await cap(6, { target_id: gone, guild_id: THERE });
  await cap(7, { target_kind: 'role', period: 'month' });
  await put(place.db, 'cap_changes', { ...ADA, guildId: '9' });

  await place.begin('member', ADA.userId);
  await place.finish();

  const caps = (await rowsOf(place.db, 'caps')).map((row) => [Number(row['limit_micros']), row['target_id']]);
  const expected = [2, 3, 4, 5, 6, 7].map((limit) => [limit, limit === 7 ? ADA.userId : gone]);
  expect(Object.fromEntries(caps)).toEqual(Object.fromEntries(expected));
  expect(caps).toHaveLength(expected.length);
  const known = new Set((await rowsOf(place.db, 'gone_members')).map((row) => row['guild_id']));
  expect(known).toEqual(new Set([ADA.guildId, THERE, '9']));
});

test('a removed server keeps no name that matches a member who deleted their data before, and other servers do', async () => {
  const place = await useRemoval();
  const { db } = place;
  const userId = 'gone_ada';
  for (const of of [
    { ...ADA, userId },
    { name: 'there', userId, guildId: THERE },
  ]) {
    for (const table of [
      'jobs',
      'sessions',
      'holds',
      'overrun_watches',
      'spending',
      'meters',
      'cap_changes',
    ]) {
      await put(db, table, of);
    }
    await put(db, 'gone_members', of, { pseudonym: userId });
  }
  for (let index = 0; index < 101; index++) {
    await put(db, 'gone_members', ADA, { pseudonym: `gone_${index}` });
  }

  await place.begin('guild', ADA.guildId);
  await place.finish();

  for (const table of ['jobs', 'sessions', 'holds', 'spending']) {
    const users = (await rowsOf(db, table)).map((row) => [row['guild_id'], row['user_id'] === userId]);
    expect(Object.fromEntries(users), `of ${table}`).toEqual({ [ADA.guildId]: false, [THERE]: true });
  }
  expect(await rowsOf(db, 'gone_members')).toMatchObject([{ guild_id: THERE, pseudonym: userId }]);
});
