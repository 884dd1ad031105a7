import { expect, test } from 'vitest';
import { FILLED, NOBODYS, type Subject } from './filled-tables.ts';
import { cellsWith, columnsOf, fill, rowsOf, useRemoval } from './use-removal.ts';

const ADA: Subject = { name: 'a', userId: '700000000000000001', guildId: '800000000000000001' };
const BEN: Subject = { name: 'b', userId: '700000000000000002', guildId: '800000000000000002' };

/** Columns that name a member or a guild; for some columns, this depends on the row's kind. */
const ID_COLUMNS = /^(user_id|owner_id|reporter_id|guild_id|target|target_id|set_by|changed_by|decided_by)$/;
/** Columns that contain no id of a member or guild, although their names end like those that do. */
const OTHER_IDS =
  /^(id|job_id|record_id|session_id|interaction_id|application_id|channel_id|stage_channel_id|panel_channel_id|alerts_channel_id|reports_channel_id|message_id|reply_message_id|result_message_id|role_id|source_id|service_job_id|service_session_id|delivery_id|key_id|voice_id|revoked_by)$/;
/** A column whose name looks like an id must be in one of the two lists above, or the test fails. */
const LOOKS_LIKE_ID = /_id$|_by$|^target$|user|member|guild/;

/** A member's data that stays after a removal, and why. */
const STAYS_OF_MEMBER: Readonly<Record<string, string>> = {
  'undeleted_messages.user_id': 'Their member can see for 30 days which messages could not be deleted.',
};

/** A guild's data that stays after a removal, and why. */
const STAYS_OF_GUILD: Readonly<Record<string, string>> = {
  'caps.guild_id': 'The allowance of the operator applies again when the guild returns.',
  'holds.guild_id': 'The books keep what a guild spent, under pseudonyms of its members.',
  'ledger_entries.guild_id': 'The books.',
  'spending.guild_id': 'Sums of the books.',
  'jobs.guild_id': 'The books name the job of a charge.',
  'sessions.guild_id': 'The books name the session of a charge.',
};

/**
 * Tables that do not belong to a guild: they contain what members themselves have saved or chosen, and which operator
 * assigned a usage record to its owner.
 */
const OF_PERSONS_ALONE = new Set(['faces', 'never_swap', 'usage_owners']);

/** A member's data that an export omits, and why. */
const NOT_EXPORTED: Readonly<Record<string, string>> = {
  guild_rule_entries: 'A block belongs to the guild, and the blocked member can see it.',
  cap_changes: 'The history of the limits, which are exported as they are now.',
  budget_alerts: 'Alerts to the guild about its limits.',
  spending: 'Sums of what the jobs and sessions cost, which is exported.',
  meters: 'The same sums.',
  uploads: 'Keys at the service of files that are exported with their jobs.',
  job_input_owners: 'Jobs of others.',
  overrun_watches: 'A charge and its hold, which are exported.',
  usage_owners: 'Decisions of the operator about calls, not about members.',
  picks: 'Choices that are forgotten within the hour.',
};

test('every table is filled or contains no data about anybody, and every id column is named by its content', async () => {
  const { db } = await useRemoval();
  const columns = await columnsOf(db);
  const tables = new Set(columns.map(({ table }) => table));
  expect([...tables].toSorted()).toEqual([...Object.keys(FILLED), ...NOBODYS].toSorted());

  const unknown = columns.filter(
    ({ table, column }) =>
      !NOBODYS.has(table) &&
      LOOKS_LIKE_ID.test(column) &&
      !ID_COLUMNS.test(column) &&
      !OTHER_IDS.test(column),
  );
  expect(unknown, 'columns with an unclassified id').toEqual([]);
  const empty = columns.filter(({ table, column }) => {
    const id = FILLED[table]?.(ADA)[column];
    const isFilled = id === ADA.userId || id === ADA.guildId;
    return !NOBODYS.has(table) && ID_COLUMNS.test(column) && !isFilled;
  });
  expect(empty, 'columns that are not filled').toEqual([]);
});

test('a removed member leaves only pseudonyms and documented data, and others keep all their data', async () => {
  const { db, begin, finish } = await useRemoval();
  await fill(db, ADA);
  await fill(db, BEN);
  const others = await cellsWith(db, BEN.userId);

  await begin('member', ADA.userId);
  await finish();

  expect(await cellsWith(db, ADA.userId)).toEqual(Object.keys(STAYS_OF_MEMBER).toSorted());
  expect(await cellsWith(db, BEN.userId)).toEqual(others);
  const [job] = (await rowsOf(db, 'jobs')).filter(({ guild_id: id }) => id === ADA.guildId);
  const pseudonym = job?.['user_id'];
  expect(pseudonym).toMatch(/^gone_[0-9a-f]{32}$/);
  const watches = (await rowsOf(db, 'overrun_watches')).filter(({ guild_id: id }) => id === ADA.guildId);
  expect(watches).toMatchObject([{ user_id: pseudonym, subject: 'job_a' }]);
  expect(await rowsOf(db, 'usage_owners')).toContainEqual(
    expect.objectContaining({ record_id: 'record_a', decided_by: pseudonym }),
  );
  expect(await rowsOf(db, 'gone_members')).toContainEqual(
    expect.objectContaining({ guild_id: ADA.guildId, pseudonym }),
  );
});

test('a removed guild leaves only its books, without the ids of its members, and others keep all their data', async () => {
  const { db, begin, finish } = await useRemoval();
  await fill(db, ADA);
  await fill(db, BEN);
  const others = await cellsWith(db, BEN.guildId);
  const allowed = { guild_id: ADA.guildId, target_kind: 'operator', target_id: '' } as const;
  await db.kysely
    .insertInto('caps')
    .values({ ...FILLED['caps']?.(ADA), ...allowed, set_by: '9' } as never)
    .execute();

  await begin('guild', ADA.guildId);
  await finish();

  expect(await cellsWith(db, ADA.guildId)).toEqual(Object.keys(STAYS_OF_GUILD).toSorted());
  expect(await cellsWith(db, BEN.guildId)).toEqual(others);
  const named = (await cellsWith(db, ADA.userId)).map((cell) => cell.replace(/\..*/, ''));
  expect(named.filter((table) => !OF_PERSONS_ALONE.has(table))).toEqual([]);
});

test('an export contains something from every table that has data of its member', async () => {
  const mentioned = Object.keys(FILLED).filter((table) =>
    JSON.stringify(FILLED[table]?.(ADA)).includes(ADA.userId),
  );
  const exportWithout = async (left: ReadonlySet<string>): Promise<string> => {
    const { db, privacy } = await useRemoval();
    await fill(db, ADA, left);
    return privacy.export(ADA.userId);
  };
  const whole = await exportWithout(new Set());
  const OF_JOBS = ['job_inputs', 'job_input_owners', 'uploads', 'reports'];
  const missing: string[] = [];
  for (const table of mentioned) {
    const children = table === 'jobs' ? OF_JOBS : table === 'job_inputs' ? ['job_input_owners'] : [];
    if ((await exportWithout(new Set([table, ...children]))) === whole) missing.push(table);
  }
  // Webhook deliveries are not missing, because they are found through their job.
  expect(missing.filter((table) => table !== 'webhook_deliveries').toSorted()).toEqual(
    Object.keys(NOT_EXPORTED).toSorted(),
  );
});
