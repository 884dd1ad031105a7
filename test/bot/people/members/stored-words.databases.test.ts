import { expect, test } from 'vitest';
import type { Database } from '../../../../db/database.ts';
import {
  deletePicksOfMember,
  findPick,
  deleteOlderPicks,
  insertPick,
  purgePicks,
} from '../../../../db/queries/picks.ts';
import {
  claimRemoval,
  deferRemoval,
  deleteRemoval,
  insertRemoval,
  nextRemovalAtMs,
} from '../../../../db/queries/removals.ts';
import { insertReport, listReportsOfMember } from '../../../../db/queries/reports.ts';
import {
  type VoiceConsentKey,
  endVoiceConsents,
  hasAgreedToVoice,
  listVoiceConsents,
  listVoiceSpeakers,
  putVoiceConsent,
  revokeVoiceConsent,
} from '../../../../db/queries/voice-consents.ts';
import type { RemovalKind } from '../../../../db/schema/removals.ts';
import { useDatabase } from '../../../db/use-database.ts';
import { put, rowsOf } from './use-removal.ts';

const ADA: VoiceConsentKey = { guildId: '1', channelId: '2', userId: '3' };
/** Keys that differ from `ADA` in one field each. The different id is one that `ADA` has in another field. */
const OTHERS: readonly VoiceConsentKey[] = [
  { ...ADA, guildId: '3' },
  { ...ADA, channelId: '1' },
  { ...ADA, userId: '2' },
];
const ALL = [ADA, ...OTHERS];

async function agree(
  db: Database,
  key: VoiceConsentKey,
  changes: Partial<{ session_id: string; text_version: string; given_at_ms: number }> = {},
): Promise<void> {
  await putVoiceConsent(db.kysely, {
    guild_id: key.guildId,
    channel_id: key.channelId,
    user_id: key.userId,
    session_id: 'session',
    text_version: 'voice-1',
    given_at_ms: 1,
    ...changes,
  });
}

/** For each key in `ALL`, returns when the consent ended and who ended it. */
async function endsOf(db: Database): Promise<unknown[]> {
  const rows = await rowsOf(db, 'voice_consents');
  return ALL.map((key) => {
    const own = rows.find(
      (row) =>
        row['guild_id'] === key.guildId &&
        row['channel_id'] === key.channelId &&
        row['user_id'] === key.userId,
    );
    return own?.['revoked_at_ms'] === null ? null : [own?.['revoked_at_ms'], own?.['revoked_by']];
  });
}

test('a voice consent is valid until the member withdraws it, in that channel only, and again when it is given again', async () => {
  const db = await useDatabase();
  for (const key of ALL) await agree(db, key);
  expect((await listVoiceSpeakers(db.kysely, 'session', 10)).toSorted()).toEqual(['2', '3', '3', '3']);

  await revokeVoiceConsent(db.kysely, ADA, { atMs: 5, by: 'member' });
  await revokeVoiceConsent(db.kysely, ADA, { atMs: 6, by: 'moderator' });
  expect(await endsOf(db)).toEqual([[5, 'member'], null, null, null]);
  expect(await listVoiceSpeakers(db.kysely, 'session', 10)).toHaveLength(3);

  await agree(db, ADA, { session_id: 'next', text_version: 'voice-2', given_at_ms: 7 });
  expect(await endsOf(db)).toEqual([null, null, null, null]);
  expect(await listVoiceSpeakers(db.kysely, 'next', 10)).toEqual([ADA.userId]);
  expect((await listVoiceConsents(db.kysely, ADA.userId, 10))[0]).toMatchObject({
    session_id: 'next',
    text_version: 'voice-2',
    given_at_ms: 7,
  });
});

test('the end of a session ends its consents, and does not change those that ended before', async () => {
  const db = await useDatabase();
  const [guild, , user] = OTHERS;
  for (const key of ALL) await agree(db, key, key === user ? { session_id: 'another' } : {});
  if (guild) await revokeVoiceConsent(db.kysely, guild, { atMs: 5, by: 'left' });
  await endVoiceConsents(db.kysely, 'session', 9);
  expect(await endsOf(db)).toEqual([[9, 'end'], [5, 'left'], [9, 'end'], null]);
  expect(await listVoiceSpeakers(db.kysely, 'session', 10)).toEqual([]);
});

test('a member who agreed to a wording before, in any channel of the server, is recognised', async () => {
  const db = await useDatabase();
  await agree(db, ADA);
  await revokeVoiceConsent(db.kysely, ADA, { atMs: 5, by: 'end' });
  const has = (changes = {}): Promise<boolean> =>
    hasAgreedToVoice(db.kysely, { guildId: '1', userId: '3', textVersion: 'voice-1', ...changes });
  expect(await has()).toBe(true);
  for (const changes of [{ guildId: '2' }, { userId: '2' }, { textVersion: 'voice-2' }]) {
    expect(await has(changes)).toBe(false);
  }
});

test('a pick is found by the member who made it, where they made it, until it expires', async () => {
  const db = await useDatabase();
  await insertPick(db.kysely, { id: 'p', guild_id: '1', user_id: '3', files: '[]', made_at_ms: 10 });
  const find = async (changes = {}): Promise<boolean> =>
    (await findPick(db.kysely, { id: 'p', guildId: '1', userId: '3', sinceMs: 10, ...changes })) !==
    undefined;
  expect(await find()).toBe(true);
  for (const changes of [{ id: 'q' }, { guildId: '3' }, { userId: '1' }, { sinceMs: 11 }]) {
    expect(await find(changes)).toBe(false);
  }
});

test('the newest picks of a member are kept, and old picks of all members are deleted', async () => {
  const db = await useDatabase();
  for (const [user_id, made_at_ms] of [
    ['3', 10],
    ['3', 30],
    ['3', 20],
    ['4', 5],
  ] as const) {
    const id = `${user_id} at ${made_at_ms}`;
    await insertPick(db.kysely, { id, guild_id: '1', user_id, files: '[]', made_at_ms });
  }
  const left = async (): Promise<string[]> =>
    (await db.kysely.selectFrom('picks').select('id').orderBy('made_at_ms').execute()).map(({ id }) => id);
  await deleteOlderPicks(db.kysely, { userId: '3', keep: 2 });
  expect(await left()).toEqual(['4 at 5', '3 at 20', '3 at 30']);
  expect(await purgePicks(db.kysely, { beforeMs: 20, limit: 10 })).toBe(1);
  expect(await left()).toEqual(['3 at 20', '3 at 30']);
  expect(await purgePicks(db.kysely, { beforeMs: 31, limit: 1 })).toBe(1);
  expect(await left()).toEqual(['3 at 30']);
});

test('a member reports a result once, and the first of all its reports is known', async () => {
  const db = await useDatabase();
  for (const name of ['a', 'b']) await put(db, 'jobs', { name, userId: '9', guildId: '1' });
  let reports = 0;
  const report = (job: string, reporter_id: string) =>
    insertReport(db.kysely, {
      id: `report_${(reports += 1)}`,
      job_id: `job_${job}`,
      guild_id: '1',
      reporter_id,
      created_at_ms: 1,
    });
  expect(await report('a', '3')).toEqual({ inserted: true, isFirst: true });
  expect(await report('a', '3')).toEqual({ inserted: false, isFirst: false });
  expect(await report('a', '4')).toEqual({ inserted: true, isFirst: false });
  expect(await report('b', '3')).toEqual({ inserted: true, isFirst: true });
  const own = (await listReportsOfMember(db.kysely, '3', 10)).map(({ job_id }) => job_id);
  expect(own.toSorted()).toEqual(['job_a', 'job_b']);
});

test('choices about a member that are made after the removal of their data stay', async () => {
  const db = await useDatabase();
  const files = '["of 3"]';
  for (const made_at_ms of [10, 11]) {
    await insertPick(db.kysely, { id: `p${made_at_ms}`, guild_id: '1', user_id: '4', files, made_at_ms });
  }
  await db.transaction('member:3', (trx) => deletePicksOfMember(trx, '3', 10));
  expect(await db.kysely.selectFrom('picks').select('id').execute()).toEqual([{ id: 'p11' }]);
});

test('the removal that has been due for the longest time is done first, and one of a member is distinct from one of a server with the same id', async () => {
  const db = await useDatabase();
  const { kysely } = db;
  const ask = (kind: RemovalKind, subjectId: string, nowMs: number): Promise<void> =>
    db.transaction(`${kind}:${subjectId}`, (trx) =>
      insertRemoval(trx, { kind, subjectId, secret: 's', nowMs }),
    );
  await ask('guild', '5', 20);
  await ask('member', '5', 10);
  await ask('member', '6', 30);
  const due = async (): Promise<readonly (readonly [string, number, number])[]> =>
    (await kysely.selectFrom('removals').selectAll().orderBy('kind').orderBy('subject_id').execute()).map(
      (row) => [`${row.kind} ${row.subject_id}`, row.due_at_ms, row.attempts],
    );
  expect(await nextRemovalAtMs(kysely)).toBe(10);
  expect(await claimRemoval(kysely, { nowMs: 9, retryAtMs: 90 })).toBeUndefined();
  const claimed = await claimRemoval(kysely, { nowMs: 30, retryAtMs: 90 });
  expect(claimed).toMatchObject({ kind: 'member', subject_id: '5', attempts: 1 });
  await deferRemoval(kysely, { kind: 'member', subjectId: '5' }, { due_at_ms: 50, attempts: 3 });
  expect(await due()).toEqual([
    ['guild 5', 20, 0],
    ['member 5', 50, 3],
    ['member 6', 30, 0],
  ]);
  if (!claimed) throw new Error('Nothing was claimed');
  expect(await db.transaction('member:5', (trx) => deleteRemoval(trx, claimed))).toBe(true);
  expect((await due()).map(([name]) => name)).toEqual(['guild 5', 'member 6']);
});
