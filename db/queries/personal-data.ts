import { type RawBuilder, sql } from 'kysely';
import type { Queryable, Schema, Trx } from '../schema.ts';
import type { JobRow } from '../schema/jobs.ts';
import type { HoldRow } from '../schema/ledger.ts';
import type { RemovalKind } from '../schema/removals.ts';
import type { SessionRow } from '../schema/sessions.ts';
import { sumUpSpending } from './spending.ts';
import { pseudonymiseUsageOwners } from './usage-owners.ts';

/** The owner of data to be handled: a member across all guilds, or all members of a guild. */
export interface DataSubject {
  readonly kind: RemovalKind;
  readonly subjectId: string;
  /** Includes only what was stored up to this time. */
  readonly untilMs: number;
}

/** A string that sorts after all user ids, which consist of digits, and before all pseudonyms. */
const AFTER_DIGITS = ':';

function ofSubject(subject: DataSubject): RawBuilder<boolean> {
  return subject.kind === 'member'
    ? sql<boolean>`user_id = ${subject.subjectId}`
    : sql<boolean>`guild_id = ${subject.subjectId} and user_id < ${AFTER_DIGITS}`;
}

/** Stops the subject's open jobs, so that they send, store and show nothing more. */
export async function withdrawJobs(trx: Trx, subject: DataSubject, nowMs: number): Promise<void> {
  await trx
    .updateTable('jobs')
    .set({ taken_back: 'deleted', woken_at_ms: nowMs })
    .where(ofSubject(subject))
    .where(sql<boolean>`stage not in ('settled', 'abandoned')`)
    .execute();
}

/** Returns the subject's jobs that no worker holds, at most `limit`. */
export async function listRestingJobs(
  db: Queryable,
  subject: DataSubject,
  options: { readonly nowMs: number; readonly limit: number },
): Promise<JobRow[]> {
  return db
    .selectFrom('jobs')
    .selectAll()
    .where(ofSubject(subject))
    .where('accepted_at_ms', '<=', subject.untilMs)
    .where((eb) => eb.or([eb('lease_until_ms', 'is', null), eb('lease_until_ms', '<=', options.nowMs)]))
    .limit(options.limit)
    .execute();
}

/** Whether the subject has jobs left, whether or not a worker holds them. */
export async function hasJobsLeft(db: Queryable, subject: DataSubject): Promise<boolean> {
  const left = await db
    .selectFrom('jobs')
    .select('id')
    .where(ofSubject(subject))
    .where('accepted_at_ms', '<=', subject.untilMs)
    .limit(1)
    .executeTakeFirst();
  return left !== undefined;
}

/**
 * Removes all data about the member from a job that no worker holds, and stores `pseudonym` instead. Returns false if a
 * worker has taken the job in the meantime.
 */
export async function pseudonymiseJob(
  trx: Trx,
  job: JobRow,
  options: { readonly pseudonym: string; readonly nowMs: number },
): Promise<boolean> {
  const { pseudonym, nowMs } = options;
  const changed = await trx
    .updateTable('jobs')
    .set({
      user_id: pseudonym,
      interaction_id: sql`id`,
      interaction_token: '',
      parameters: '{}',
      reply_message_id: null,
      result_message_id: null,
      output_url: null,
      result_path: null,
      result_sha256: null,
      result_mime: null,
      result_bytes: null,
      request_body: sql`case when stage = 'submitting' then request_body else null end`,
      chat_path: null,
      chat_mime: null,
      undelivered: null,
      taken_back: 'deleted',
      // A worker that was paused until its lease ran out must not overwrite this change.
      fence: sql`fence + 1`,
    })
    .where('id', '=', job.id)
    .where('fence', '=', job.fence)
    .where((eb) => eb.or([eb('lease_until_ms', 'is', null), eb('lease_until_ms', '<=', nowMs)]))
    .returning('callback_token')
    .executeTakeFirst();
  if (!changed) return false;
  await trx.deleteFrom('job_inputs').where('job_id', '=', job.id).execute();
  await trx.deleteFrom('uploads').where('job_id', '=', job.id).execute();
  await trx
    .updateTable('webhook_deliveries')
    .set({ body: new Uint8Array() })
    .where('callback_token', '=', changed.callback_token)
    .where('processed_at_ms', 'is not', null)
    .execute();
  return true;
}

/** A member of a guild, by the id or pseudonym that the ledger has for them. */
interface BookedMember {
  readonly guild_id: string;
  readonly user_id: string;
}

/** Returns the members whose ids are in the holds of `subject`, at most `limit`. */
export async function listHoldMembers(
  db: Queryable,
  subject: DataSubject,
  limit: number,
): Promise<BookedMember[]> {
  return db
    .selectFrom('holds')
    .select(['guild_id', 'user_id'])
    .distinct()
    .where(ofSubject(subject))
    .where('created_at_ms', '<=', subject.untilMs)
    .limit(limit)
    .execute();
}

/** Replaces a member with `pseudonym` in one guild's ledger and sessions. Amounts and subjects stay unchanged. */
export async function pseudonymiseHolds(
  trx: Trx,
  member: BookedMember,
  options: { readonly pseudonym: string; readonly untilMs: number },
): Promise<void> {
  const { guild_id: guildId, user_id: userId } = member;
  const { pseudonym, untilMs } = options;
  await trx
    .updateTable('holds')
    .set({ user_id: pseudonym, role_ids: '' })
    .where('guild_id', '=', guildId)
    .where('user_id', '=', userId)
    .where('created_at_ms', '<=', untilMs)
    .execute();
  await trx
    .updateTable('sessions')
    .set({ user_id: pseudonym, channel_id: '', voice_id: null })
    .where('guild_id', '=', guildId)
    .where('user_id', '=', userId)
    .where('opened_at_ms', '<=', untilMs)
    .execute();
  await trx
    .updateTable('overrun_watches')
    .set({ user_id: pseudonym })
    .where('guild_id', '=', guildId)
    .where('user_id', '=', userId)
    // Selects the charges whose holds were changed above. A charge always has the same member as its hold.
    .where((eb) =>
      eb.exists(
        eb
          .selectFrom('holds')
          .select('holds.subject')
          .whereRef('holds.subject', '=', 'overrun_watches.subject')
          .where('holds.user_id', '=', pseudonym),
      ),
    )
    .execute();
  for (const owner of [userId, pseudonym]) {
    await sumUpSpending(trx, { guildId, userId: owner });
    await trx.deleteFrom('meters').where('guild_id', '=', guildId).where('user_id', '=', owner).execute();
  }
}

/**
 * Replaces a member with `pseudonym` in limits on the member, and with `nameless` in the records of changes that the
 * member made. Deletes alerts about the member. If the id and the pseudonym have a limit for the same thing, the id's
 * limit is kept.
 */
export async function pseudonymiseCaps(
  trx: Trx,
  userId: string,
  options: { readonly pseudonym: string; readonly nameless: string; readonly nowMs: number },
): Promise<void> {
  const { pseudonym, nameless, nowMs } = options;
  await trx
    .deleteFrom('caps')
    .where(sql<boolean>`target_kind = 'member'`)
    .where('target_id', '=', pseudonym)
    .where((eb) =>
      eb.exists(
        eb
          .selectFrom('caps as own')
          .select('own.guild_id')
          .whereRef('own.guild_id', '=', 'caps.guild_id')
          .where(sql<boolean>`own.target_kind = 'member'`)
          .where('own.target_id', '=', userId)
          .whereRef('own.capability', '=', 'caps.capability')
          .whereRef('own.period', '=', 'caps.period'),
      ),
    )
    .execute();
  for (const table of ['caps', 'cap_changes'] as const) {
    await trx
      .updateTable(table)
      .set({ target_id: pseudonym })
      .where(sql<boolean>`target_kind = 'member'`)
      .where('target_id', '=', userId)
      .execute();
    await sql`
      insert into gone_members (guild_id, pseudonym, due_at_ms)
      select guild_id, target_id, cast(${nowMs} as bigint) from ${sql.table(table)}
      where target_kind = 'member' and target_id = ${pseudonym} on conflict do nothing`.execute(trx);
  }
  await trx.updateTable('caps').set({ set_by: nameless }).where('set_by', '=', userId).execute();
  await trx
    .updateTable('cap_changes')
    .set({ changed_by: nameless })
    .where('changed_by', '=', userId)
    .execute();
  await pseudonymiseUsageOwners(trx, userId, pseudonym);
  await trx.deleteFrom('budget_alerts').where('user_id', '=', userId).where('user_id', '<>', '').execute();
  // Alerts and meters are deleted separately, because a member whose cap allowed no hold can still have some.
  await trx.deleteFrom('meters').where('user_id', '=', userId).where('user_id', '<>', '').execute();
}

/** Returns a member's jobs, newest first, at most `limit`. */
export async function listJobsOfMember(db: Queryable, userId: string, limit: number): Promise<JobRow[]> {
  return db
    .selectFrom('jobs')
    .selectAll()
    .where('user_id', '=', userId)
    .orderBy('accepted_at_ms', 'desc')
    .limit(limit)
    .execute();
}

/** Returns a member's holds, at most `limit`. */
export async function listHoldsOfMember(db: Queryable, userId: string, limit: number): Promise<HoldRow[]> {
  return db.selectFrom('holds').selectAll().where('user_id', '=', userId).limit(limit).execute();
}

/** Returns a member's sessions, newest first, at most `limit`. */
export async function listSessionsOfMember(
  db: Queryable,
  userId: string,
  limit: number,
): Promise<SessionRow[]> {
  return db
    .selectFrom('sessions')
    .selectAll()
    .where('user_id', '=', userId)
    .orderBy('opened_at_ms', 'desc')
    .limit(limit)
    .execute();
}

interface JobTotals {
  readonly jobs: number;
  readonly openJobs: number;
  readonly keptResults: number;
  readonly firstJobAtMs: number | null;
}

/** Returns the totals of a member's jobs across all guilds. */
export async function totalsOfMember(db: Queryable, userId: string): Promise<JobTotals> {
  return db
    .selectFrom('jobs')
    .select((eb) => [
      eb.fn.countAll<number>().as('jobs'),
      sql<number>`count(*) filter (where stage not in ('settled', 'abandoned'))`.as('openJobs'),
      sql<number>`count(*) filter (where result_path is not null)`.as('keptResults'),
      eb.fn.min<number | null>('accepted_at_ms').as('firstJobAtMs'),
    ])
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow();
}

const GUILD_TABLES = [
  'jobs',
  'sessions',
  'guild_rules',
  'guild_rule_entries',
  'avatar_consents',
  'voice_consents',
  'caps',
  'budget_settings',
] as const;

/** Returns guilds with stored data beyond the pseudonymous ledger, at most `limit` from each table. */
export async function listKnownGuilds(db: Queryable, limit: number): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  for (const table of GUILD_TABLES) {
    for (const guildId of await guildsIn(db, table, limit)) found.add(guildId);
  }
  return found;
}

async function guildsIn(
  db: Queryable,
  table: (typeof GUILD_TABLES)[number] & keyof Schema,
  limit: number,
): Promise<readonly string[]> {
  const rows = await db
    .selectFrom(table)
    .select('guild_id')
    .distinct()
    // The operator's limits are kept when the guild's own data is deleted.
    .$if(table === 'caps', (query) => query.where(sql<boolean>`target_kind <> 'operator'`))
    .$if(table === 'jobs' || table === 'sessions', (query) =>
      query.where(sql<boolean>`user_id < ${AFTER_DIGITS}`),
    )
    .limit(limit)
    .execute();
  return rows.map((row) => row.guild_id);
}

const BUDGET_TABLES = [
  'budget_settings',
  'zone_changes',
  'budget_managers',
  'budget_alerts',
  'overrun_watches',
  // Meters are rebuilt from `spending` when they are needed.
  'meters',
] as const;

/**
 * Deletes a guild's own caps, the record of who changed them, and their alerts. The ledger and the operator's limits
 * are kept.
 */
export async function deleteBudget(trx: Trx, guildId: string): Promise<void> {
  for (const table of ['caps', 'cap_changes'] as const) {
    await trx
      .deleteFrom(table)
      .where('guild_id', '=', guildId)
      .where('target_kind', '<>', 'operator')
      .execute();
  }
  for (const table of BUDGET_TABLES) await trx.deleteFrom(table).where('guild_id', '=', guildId).execute();
}
