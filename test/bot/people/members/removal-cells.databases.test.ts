import { expect, test } from 'vitest';
import type { Database } from '../../../../db/database.ts';
import { FILLED, type Row, type Subject } from './filled-tables.ts';
import { columnsOf, fill, rowsOf, useRemoval } from './use-removal.ts';

const ADA = '700000000000000001';
const BEN = '700000000000000002';
const HERE = '800000000000000001';
const THERE = '800000000000000002';
/** Two members, each of them in the same two guilds. */
const GRID: readonly Subject[] = [ADA, BEN].flatMap((userId, member) =>
  [HERE, THERE].map((guildId, guild) => ({ name: `${'ab'[member]}${guild + 1}`, userId, guildId })),
);
const ADA_HERE: Subject = { name: 'a1', userId: ADA, guildId: HERE };
const BEN_HERE: Subject = { name: 'b1', userId: BEN, guildId: HERE };

/** Returns rows in which one member names the other, and in which a member's id is also the id of a role. */
function crossed(): readonly (readonly [string, Row])[] {
  const of = (table: string, whose: Subject, changes: Row): [string, Row] => [
    table,
    { ...FILLED[table]?.(whose), ...changes },
  ];
  const roleOf = { target_kind: 'role', set_by: BEN } as const;
  return [
    of('avatar_consents', BEN_HERE, { user_id: ADA }),
    of('avatar_consents', ADA_HERE, { user_id: BEN }),
    of('avatar_consents', ADA_HERE, { user_id: '' }),
    of('caps', BEN_HERE, { period: 'week', set_by: ADA }),
    of('caps', ADA_HERE, { period: 'week', set_by: BEN }),
    of('caps', ADA_HERE, roleOf),
    of('caps', ADA_HERE, { target_kind: 'guild', target_id: '', set_by: BEN }),
    of('caps', ADA_HERE, { target_kind: 'operator', target_id: '', set_by: '9' }),
    of('cap_changes', BEN_HERE, { changed_by: ADA }),
    of('cap_changes', ADA_HERE, { changed_by: BEN }),
    of('cap_changes', ADA_HERE, { target_kind: 'role', changed_by: BEN }),
    of('cap_changes', ADA_HERE, { target_kind: 'operator', target_id: '', changed_by: '9' }),
    of('guild_rule_entries', ADA_HERE, { kind: 'role' }),
    of('budget_alerts', ADA_HERE, { id: 'alert', target_kind: 'guild', target_id: '', user_id: '' }),
    of('meters', ADA_HERE, { user_id: '' }),
    of('reports', BEN_HERE, { id: 'report of a', reporter_id: ADA }),
    of('picks', BEN_HERE, { id: 'pick with a', files: `["${ADA}"]` }),
    of('voice_consents', ADA_HERE, { channel_id: '', revoked_at_ms: 5, revoked_by: 'end' }),
    of('job_inputs', BEN_HERE, { field: 'image_key' }),
    of('job_input_owners', BEN_HERE, { field: 'image_key', owner_id: ADA, kind: 'avatar' }),
    of('job_input_owners', BEN_HERE, { field: 'image_key', kind: 'message' }),
    of('usage_owners', ADA_HERE, { record_id: 'record of nobody', decided_by: null }),
    of('webhook_deliveries', ADA_HERE, { delivery_id: 'unread', processed_at_ms: null }),
  ];
}

async function fillGrid(db: Database): Promise<void> {
  for (const subject of GRID) await fill(db, subject);
  for (const [table, row] of crossed()) {
    await db.kysely
      .insertInto(table as 'jobs')
      .values(row as never)
      .execute();
  }
}

type Tables = Readonly<Record<string, readonly Row[]>>;

async function snapshot(db: Database): Promise<Tables> {
  const names = new Set((await columnsOf(db)).map(({ table }) => table));
  const tables: Record<string, Row[]> = {};
  for (const name of names) {
    if (name === 'settings' || name === 'schema_migrations' || name === 'removals') continue;
    tables[name] = (await rowsOf(db, name)).map((row) =>
      row['body'] instanceof Uint8Array ? { ...row, body: Buffer.from(row['body']).toString() } : row,
    );
  }
  return tables;
}

const sorted = (tables: Tables): Tables =>
  Object.fromEntries(
    Object.entries(tables).map(([name, rows]) => [
      name,
      rows.toSorted((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1)),
    ]),
  );

/** A change to a row: returns the row after the change, or null if it is deleted. */
type Change = (row: Row) => Row | null;

/** Returns `before` with changes to some tables; all other rows stay as they are. */
function changed(before: Tables, changes: Readonly<Record<string, Change>>): Tables {
  return Object.fromEntries(
    Object.entries(before).map(([name, rows]) => {
      const change = changes[name] ?? ((row: Row): Row => row);
      return [name, rows.map(change).filter((row) => row !== null)];
    }),
  );
}

const gone: Change = () => null;
/** Returns what remains of a job because the books refer to it. */
const emptied = (row: Row, user: string): Row => ({
  ...row,
  user_id: user,
  interaction_id: row['id'],
  interaction_token: '',
  parameters: '{}',
  reply_message_id: null,
  result_message_id: null,
  request_body: null,
  output_url: null,
  result_path: null,
  result_sha256: null,
  result_mime: null,
  result_bytes: null,
  chat_path: null,
  chat_mime: null,
  undelivered: null,
  taken_back: 'deleted',
  // If a worker was paused during a step, it has lost the job.
  fence: Number(row['fence']) + 1,
});

test('the removal of a member changes exactly these cells, in all servers', async () => {
  const { db, clock, access, asked, cleared, begin, finish } = await useRemoval();
  await fillGrid(db);
  const before = await snapshot(db);

  await begin('member', ADA);
  await finish();

  const after = await snapshot(db);
  const pseudonym = access.pseudonymOf(ADA);
  const nameless = after['caps']?.find((row) => row['target_id'] === BEN && row['period'] === 'week')?.[
    'set_by'
  ];
  expect(nameless).toMatch(/^gone_[0-9a-f]{32}$/);
  expect(nameless).not.toBe(pseudonym);
  const isAdas = (row: Row, column = 'user_id'): boolean => row[column] === ADA;
  const jobsOfAda = new Set(['job_a1', 'job_a2']);
  const ofAda =
    (change: Change, column = 'user_id'): Change =>
    (row) =>
      isAdas(row, column) ? change(row) : row;
  const ofJobsOfAda: Change = (row) => (jobsOfAda.has(String(row['job_id'])) ? null : row);
  const rename: Change = (row) => ({ ...row, user_id: pseudonym });
  const target: Change = (row) =>
    isAdas(row, 'target_id') && row['target_kind'] === 'member' ? { ...row, target_id: pseudonym } : row;
  const expected = changed(before, {
    jobs: ofAda((row) => emptied(row, pseudonym)),
    sessions: ofAda((row) => ({ ...row, user_id: pseudonym, channel_id: '', voice_id: null })),
    holds: ofAda((row) => ({ ...row, user_id: pseudonym, role_ids: '' })),
    spending: ofAda(rename),
    overrun_watches: ofAda(rename),
    meters: ofAda(gone),
    budget_alerts: ofAda(gone),
    caps: (row) => target(isAdas(row, 'set_by') ? { ...row, set_by: nameless } : row),
    cap_changes: (row) => target(isAdas(row, 'changed_by') ? { ...row, changed_by: nameless } : row),
    usage_owners: ofAda((row) => ({ ...row, decided_by: pseudonym }), 'decided_by'),
    guild_rule_entries: (row) =>
      isAdas(row, 'target') && row['kind'] === 'member' ? { ...row, target: pseudonym } : row,
    faces: ofAda(gone),
    never_swap: ofAda(gone),
    avatar_consents: (row) => (isAdas(row) || isAdas(row, 'owner_id') ? null : row),
    voice_consents: ofAda(gone),
    picks: (row) => (isAdas(row) || String(row['files']).includes(ADA) ? null : row),
    reports: (row) => (isAdas(row, 'reporter_id') ? null : ofJobsOfAda(row)),
    uploads: ofJobsOfAda,
    job_inputs: (row) =>
      row['job_id'] === 'job_b1' && row['field'] === 'image_key'
        ? { ...row, path: null, url: '' }
        : ofJobsOfAda(row),
    job_input_owners: (row) => (isAdas(row, 'owner_id') ? { ...row, owner_id: '', kind: 'gone' } : row),
    webhook_deliveries: (row) =>
      ['callback_a1', 'callback_a2'].includes(String(row['callback_token'])) &&
      row['processed_at_ms'] !== null
        ? { ...row, body: '' }
        : row,
  });
  const made = [HERE, THERE].map((guild_id) => ({ guild_id, pseudonym, due_at_ms: clock.now() }));
  expect(sorted(after)).toEqual(
    sorted({
      ...expected,
      job_input_owners:
        expected['job_input_owners']?.filter((row) => !jobsOfAda.has(String(row['job_id']))) ?? [],
      gone_members: [...(expected['gone_members'] ?? []), ...made],
    }),
  );
  const messages = GRID.filter(({ userId }) => userId === ADA).flatMap(({ name }) =>
    ['reply to', 'result of'].map((what) => ({ channelId: `channel_${name}`, messageId: `${what} ${ADA}` })),
  );
  const bySize = (one: object, other: object): number =>
    JSON.stringify(one) < JSON.stringify(other) ? -1 : 1;
  expect(asked.toSorted(bySize)).toEqual(messages.toSorted(bySize));
  expect(cleared.toSorted()).toEqual([...jobsOfAda]);
});

/** Tables whose rows are only deleted when their server's data is removed. */
const OF_GUILD = [
  'guild_rules',
  'guild_rule_entries',
  'avatar_consents',
  'voice_consents',
  'voice_panels',
  'picks',
  'reports',
  'budget_settings',
  'zone_changes',
  'budget_managers',
  'budget_alerts',
  'overrun_watches',
  'meters',
  'gone_members',
  'undeleted_messages',
  'departed_guilds',
];
const ofGuild = (change: Change): Readonly<Record<string, Change>> =>
  Object.fromEntries(OF_GUILD.map((table) => [table, change]));

test('the removal of a server changes exactly these cells, for all its members', async () => {
  const { db, access, asked, cleared, begin, finish } = await useRemoval();
  await fillGrid(db);
  const before = await snapshot(db);

  await begin('guild', HERE);
  await finish();

  const after = await snapshot(db);
  const names = new Map(
    [ADA_HERE, BEN_HERE].map(({ userId, name }) => [
      userId,
      String(after['jobs']?.find((row) => row['id'] === `job_${name}`)?.['user_id']),
    ]),
  );
  // A server whose limits are gone does not need pseudonyms by which its members could be recognised.
  for (const [userId, name] of names) {
    expect(name).toMatch(/^gone_[0-9a-f]{32}$/);
    expect(name).not.toBe(access.pseudonymOf(userId));
  }
  expect(new Set(names.values()).size).toBe(2);
  const here =
    (change: Change): Change =>
    (row) =>
      row['guild_id'] === HERE ? change(row) : row;
  const nameOf = (row: Row): string => names.get(String(row['user_id'])) ?? '';
  const rename: Change = (row) => ({ ...row, user_id: nameOf(row) });
  const ofJobsHere: Change = (row) => (['job_a1', 'job_b1'].includes(String(row['job_id'])) ? null : row);
  const allowance: Change = (row) => (row['target_kind'] === 'operator' ? row : null);
  const expected = changed(before, {
    ...ofGuild(here(gone)),
    jobs: here((row) => emptied(row, nameOf(row))),
    sessions: here((row) => ({ ...row, user_id: nameOf(row), channel_id: '', voice_id: null })),
    holds: here((row) => ({ ...row, user_id: nameOf(row), role_ids: '' })),
    spending: here(rename),
    caps: here(allowance),
    cap_changes: here(allowance),
    uploads: ofJobsHere,
    job_inputs: ofJobsHere,
    job_input_owners: ofJobsHere,
    webhook_deliveries: (row) =>
      ['callback_a1', 'callback_b1'].includes(String(row['callback_token'])) &&
      row['processed_at_ms'] !== null
        ? { ...row, body: '' }
        : row,
  });
  expect(sorted(after)).toEqual(sorted(expected));
  expect(asked).toEqual([]);
  expect(cleared.toSorted()).toEqual(['job_a1', 'job_b1']);
});
