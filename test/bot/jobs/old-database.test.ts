import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import BetterSqlite from 'better-sqlite3';
import { expect, test } from 'vitest';
import { MIGRATIONS } from '../../../db/migrations.ts';
import { FakeClock } from '../../helpers/fake-clock.ts';
import { parseUsd } from '../../../src/base/money.ts';
import { Ledger } from '../../../src/bot/money/ledger/ledger.ts';
import { verifyLedger } from '../../../src/bot/money/ledger/verify-ledger.ts';
import { useDatabase, useSqlite } from '../../db/use-database.ts';
import { picture } from '../../media-server/test-engine.ts';
import { json } from '../../media-api/use-stub-api.ts';
import { useFolder } from '../../helpers/use-folder.ts';
import { type Pipeline, jobState, usePipeline } from './use-pipeline.ts';

/** The last schema version that did not yet support all capabilities. */
const OLD = 2;
const FIELDS = ['image_key', 'face_key'];

type Values = Readonly<Record<string, string | number | null>>;

const SENT = { service_job_id: 'srv_1', status_url: '/api/v1/jobs/srv_1', submitted_at_ms: 2_000 };
const ENDED = { ...SENT, outcome: 'succeeded', output_url: '/out?sig=s', finished_at_ms: 3_000 };
/** The fields that a job has in each stage. */
const STAGES: Readonly<Record<string, Values>> = {
  accepted: {},
  fetched: {},
  uploaded: {},
  submitting: { request_body: '{"image_key":"api/u1","face_key":"api/u2"}' },
  submitted: SENT,
  finished: ENDED,
  charged: { ...ENDED, charged_micros: 40_000 },
};

/** Creates a database as the old program left it, with one open job in `stage` and its hold. Returns its path. */
async function anOldDatabase(stage: string): Promise<string> {
  const folder = await useFolder();
  const path = join(folder, 'old.db');
  const sqlite = new BetterSqlite(path);
  sqlite.exec(
    'CREATE TABLE schema_migrations (number INTEGER PRIMARY KEY, name TEXT NOT NULL, applied_at_ms INTEGER NOT NULL) STRICT',
  );
  const insert = (table: string, row: Values): void => {
    const names = Object.keys(row);
    const places = names.map((name) => `@${name}`);
    sqlite.prepare(`INSERT INTO ${table} (${names.join(', ')}) VALUES (${places.join(', ')})`).run(row);
  };
  for (const { number, name, statements } of MIGRATIONS.slice(0, OLD)) {
    for (const statement of statements) sqlite.exec(statement);
    insert('schema_migrations', { number, name, applied_at_ms: 1 });
  }
  const pending_micros = stage === 'charged' ? 0 : 100_000;
  const posted_micros = stage === 'charged' ? 40_000 : 0;
  const period = { guild_id: '3', starts_at_ms: 0, ends_at_ms: 1e13 };
  insert('budget_periods', { ...period, pending_micros, posted_micros });
  insert('holds', { ...aHold(), ...(stage === 'charged' ? CHARGED : { state: 'pending' }) });
  insert('jobs', { ...aRow(), stage, ...STAGES[stage] });
  const isFetched = stage !== 'accepted';
  for (const field of FIELDS) {
    const file = join(folder, field);
    const bytes = await picture(80);
    await writeFile(file, bytes);
    const fetched = { path: file, sha256: field, mime: 'image/png', extension: 'png' };
    const file_key = isFetched && stage !== 'fetched' ? `api/${field}` : null;
    const known = isFetched ? { ...fetched, file_key } : {};
    const input = {
      job_id: 'job_old',
      field,
      option_name: field,
      kind: 'image',
      size_bytes: bytes.length,
      ...known,
    };
    insert('job_inputs', { ...input, url: `https://cdn.example/${field}` });
  }
  sqlite.close();
  return path;
}

const CHARGED = { state: 'posted', charged_micros: 40_000, charged_as_of_ms: 3_000, resolved_at_ms: 3_000 };

function aHold(): Values {
  const owner = { guild_id: '3', user_id: '5', capability: 'photo_swap' };
  const times = { period_starts_at_ms: 0, created_at_ms: 1_000 };
  return { id: 'hold_old', subject: 'job_old', ...owner, ...times, amount_micros: 100_000, rate_card: '{}' };
}

function aRow(): Values {
  const place = { application_id: '2', guild_id: '3', channel_id: '4', user_id: '5' };
  const token = { interaction_token: 'token', token_expires_at_ms: 900_000 };
  const keys = { idempotency_key: 'key', callback_token: 'callback', hold_micros: 100_000 };
  const times = { due_at_ms: 1_000, accepted_at_ms: 1_000, acknowledged_at_ms: 1_000, updated_at_ms: 1_000 };
  const about = { id: 'job_old', interaction_id: 'interaction_old', capability: 'photo_swap' };
  return { ...about, ...place, ...token, ...keys, ...times, attachment_size_limit_bytes: 10_000_000 };
}

test('budgets become caps, and earlier holds, charges and corrections count in their quarter of an hour', async () => {
  const path = await anOldDatabase('charged');
  const sqlite = new BetterSqlite(path);
  sqlite.exec(`
    insert into budgets values ('3', 5000000, 'week', 'Europe/Berlin', 7);
    insert into holds select 'hold_2', 'job_2', guild_id, user_id, capability, 30000, 'review', 0, 0, null,
      period_starts_at_ms, '{}', 4 * 900000 + 5, null from holds;
    insert into ledger_entries select 1, 'job_old', 'hold', '3', 0, 'pending', 'budget', 100000, 1000;
    insert into ledger_entries select 2, 'job_old', 'charge', '3', 0, 'spent', 'pending', 40000, 2000;
    insert into ledger_entries select 3, 'job_old', 'release', '3', 0, 'budget', 'pending', 60000, 2000;
    insert into ledger_entries select 4, 'job_2', 'hold', '3', 0, 'pending', 'budget', 30000, 4 * 900000 + 5;`);
  sqlite.close();

  const db = await useSqlite(path);
  const { kysely } = db;
  const defaultBudget = { limit: parseUsd(10), period: 'month', timeZone: 'UTC' } as const;
  const ledger = new Ledger({ clock: new FakeClock(6_000), defaultBudget });

  expect(await ledger.budget(kysely, '3')).toEqual({
    limit: 5_000_000,
    left: 4_930_000,
    period: 'week',
    resetsAtMs: Date.UTC(1970, 0, 4, 23),
  });
  const slots = await kysely.selectFrom('ledger_entries').select(['id', 'slot_ms', 'corrects']).execute();
  expect(slots.map(({ id, slot_ms, corrects }) => [id, slot_ms, corrects])).toEqual([
    [1, 0, null],
    [2, 0, null],
    [3, 0, null],
    [4, 4 * 900_000, null],
  ]);
  const differences: unknown[] = [];
  await verifyLedger(kysely, (difference) => differences.push(difference));
  expect(differences).toEqual([]);
  const late = { subject: 'job_2', charged: parseUsd('0.02') };
  await db.transaction('guild:3', (trx) => ledger.post(trx, late));
  expect((await ledger.budget(kysely, '3')).left).toBe(4_940_000);
});

async function goOn(stage: string): Promise<Pipeline> {
  const db = await useDatabase(await anOldDatabase(stage));
  const pipeline = await usePipeline({ db, start: false });
  pipeline.script.upload = ['1', '2'].map((key) => json(200, { file_key: `api/u${key}`, url: 'http://u' }));
  pipeline.script.job = [jobState()];
  await pipeline.jobs.start();
  await pipeline.until('job_old', 'settled');
  return pipeline;
}

test.each(Object.keys(STAGES))('a job that an older program left %s is completed', async (stage) => {
  const pipeline = await goOn(stage);

  expect(await pipeline.row('job_old')).toMatchObject({ outcome: 'succeeded', charged_micros: 40_000 });
  expect(await pipeline.hold('job_old')).toMatchObject({ state: 'posted', charged_micros: 40_000 });
  expect(pipeline.publisher.cards).toMatchObject([{ kind: 'result', charged: 40_000 }]);
  const inputs = await pipeline.db.kysely.selectFrom('job_inputs').selectAll().execute();
  expect(inputs).toHaveLength(2);
  expect(inputs).toEqual(inputs.map((input) => ({ ...input, source: 'chat', source_id: null })));
});
