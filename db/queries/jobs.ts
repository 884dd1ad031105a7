import { type ExpressionBuilder, type ExpressionWrapper, type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Queryable, Schema, Trx } from '../schema.ts';
import type { JobPatch, JobRow, JobStage, NewJob } from '../schema/jobs.ts';

/** The stages are literals, because SQLite would not use the partial indexes on open jobs if they were parameters. */
export const isOpen: RawBuilder<boolean> = sql<boolean>`stage not in ('settled', 'abandoned')`;

/** Stores the job unless its interaction already has one. Returns the interaction's job and whether it is new. */
export async function insertJob(
  trx: Trx,
  job: NewJob,
): Promise<{ readonly inserted: boolean; readonly job: JobRow }> {
  const inserted = await trx
    .insertInto('jobs')
    .values({ stage_since_ms: job.accepted_at_ms, ...job })
    .onConflict((conflict) => conflict.column('interaction_id').doNothing())
    .returningAll()
    .executeTakeFirst();
  if (inserted) return { inserted: true, job: inserted };
  const stored = await trx
    .selectFrom('jobs')
    .selectAll()
    .where('interaction_id', '=', job.interaction_id)
    .executeTakeFirstOrThrow();
  return { inserted: false, job: stored };
}

/** A worker's claim to a job, from `claimFirst`. */
export interface JobClaim {
  readonly id: string;
  readonly fence: number;
}

/** The columns that a step may change. Leases, fences and wake-ups change only through dedicated functions. */
export type StepPatch = Omit<
  JobPatch,
  | 'id'
  | 'interaction_id'
  | 'fence'
  | 'line'
  | 'turn'
  | 'lease_owner'
  | 'lease_until_ms'
  | 'lost_leases'
  | 'woken_at_ms'
  | 'updated_at_ms'
>;

/**
 * Stores the result of a step and releases the job. The job is due at `due_at_ms`, or now if the patch has no such time
 * or if the job was woken during the step. If the stage changes, the new stage starts now, with 0 attempts. Returns
 * `undefined`, and stores nothing, if another worker has taken the job or the job has ended.
 */
export async function advanceJob(
  db: Queryable,
  claim: JobClaim,
  options: { readonly nowMs: number; readonly patch: StepPatch },
): Promise<JobRow | undefined> {
  const { nowMs, patch } = options;
  const dueAtMs = patch.due_at_ms ?? nowMs;
  return db
    .updateTable('jobs')
    .set({
      ...(patch.stage === undefined ? {} : startOf(patch.stage, nowMs)),
      ...patch,
      due_at_ms: sql`case when woken_at_ms < ${dueAtMs} then woken_at_ms else ${dueAtMs} end`,
      // If the lease ran out during the step, the job may be in line again.
      line: null,
      woken_at_ms: null,
      lease_owner: null,
      lease_until_ms: null,
      lost_leases: 0,
      updated_at_ms: nowMs,
    })
    .where(isClaimed(claim))
    .returningAll()
    .executeTakeFirst();
}

type StageStart = Record<'attempts' | 'clean_attempts' | 'stage_since_ms', RawBuilder<number>>;

function startOf(stage: JobStage, nowMs: number): StageStart {
  const unlessNew = (kept: RawBuilder<number>, fresh: number): RawBuilder<number> =>
    sql<number>`case when stage = ${stage} then ${kept} else ${fresh} end`;
  return {
    attempts: unlessNew(sql`attempts`, 0),
    clean_attempts: unlessNew(sql`clean_attempts`, 0),
    stage_since_ms: unlessNew(sql`stage_since_ms`, nowMs),
  };
}

/**
 * Extends the job's lease to `leaseMs` from now. Returns false if another worker has taken the job or the job has
 * ended.
 */
export async function renewLease(
  db: Queryable,
  claim: JobClaim,
  options: { readonly nowMs: number; readonly leaseMs: number },
): Promise<boolean> {
  const untilMs = options.nowMs + options.leaseMs;
  const renewed = await db
    .updateTable('jobs')
    .set({ lease_until_ms: untilMs, due_at_ms: untilMs, line: null })
    .where(isClaimed(claim))
    .where('lease_owner', 'is not', null)
    .returning('id')
    .executeTakeFirst();
  return renewed !== undefined;
}

/**
 * Makes an open job due now, or as soon as the worker that holds it releases it. Returns false if there is no such open
 * job.
 */
export async function wakeJob(
  db: Queryable,
  which: { readonly id: string } | { readonly serviceJobId: string },
  nowMs: number,
): Promise<boolean> {
  const woken = await db
    .updateTable('jobs')
    .set({
      woken_at_ms: nowMs,
      due_at_ms: sql`case when lease_until_ms > ${nowMs} or due_at_ms < ${nowMs} then due_at_ms else ${nowMs} end`,
    })
    .where(isOpen)
    .where((eb) => ('id' in which ? eb('id', '=', which.id) : eb('service_job_id', '=', which.serviceJobId)))
    .returning('id')
    .executeTakeFirst();
  return woken !== undefined;
}

/** Records that the chat shows the reply, and makes the job due. A repeat changes only the message id. */
export async function acknowledgeJob(
  db: Queryable,
  options: { readonly id: string; readonly messageId: string | null; readonly nowMs: number },
): Promise<boolean> {
  const { id, messageId, nowMs } = options;
  const acknowledged = await db
    .updateTable('jobs')
    .set({
      reply_message_id: sql`coalesce(${messageId}, reply_message_id)`,
      due_at_ms: sql`case when acknowledged_at_ms is null and stage = 'accepted' and lease_owner is null then ${nowMs} else due_at_ms end`,
      acknowledged_at_ms: sql`coalesce(acknowledged_at_ms, ${nowMs})`,
      updated_at_ms: nowMs,
    })
    .where('id', '=', id)
    .where(isOpen)
    .returning('id')
    .executeTakeFirst();
  return acknowledged !== undefined;
}

/**
 * Ends a job that nobody waits for: it is in its first stage, was never acknowledged and is not held by a worker.
 * Returns the job if this call ended it. The fence increases, so that a worker whose lease ran out cannot continue it.
 */
export async function abandonJob(db: Queryable, id: string, nowMs: number): Promise<JobRow | undefined> {
  return db
    .updateTable('jobs')
    .set({
      stage: 'abandoned',
      line: null,
      interaction_token: '',
      fence: sql`fence + 1`,
      lease_owner: null,
      lease_until_ms: null,
      settled_at_ms: nowMs,
      updated_at_ms: nowMs,
    })
    .where('id', '=', id)
    .where('stage', '=', 'accepted')
    .where('acknowledged_at_ms', 'is', null)
    .where((eb) => eb.or([eb('lease_until_ms', 'is', null), eb('lease_until_ms', '<=', nowMs)]))
    .returningAll()
    .executeTakeFirst();
}

export async function findJob(db: Queryable, id: string): Promise<JobRow | undefined> {
  return db.selectFrom('jobs').selectAll().where('id', '=', id).executeTakeFirst();
}

/** Whether the outcome of an open job is still unknown, so that its progress can be shown. */
export async function isUnderWay(db: Queryable, id: string): Promise<boolean> {
  const found = await db
    .selectFrom('jobs')
    .select('id')
    .where('id', '=', id)
    .where('stage', 'not in', ['collected', 'posted', 'settled', 'abandoned'])
    .executeTakeFirst();
  return found !== undefined;
}

export async function findJobByInteraction(
  db: Queryable,
  interactionId: string,
): Promise<JobRow | undefined> {
  return db.selectFrom('jobs').selectAll().where('interaction_id', '=', interactionId).executeTakeFirst();
}

export async function findJobByServiceJobId(
  db: Queryable,
  serviceJobId: string,
): Promise<JobRow | undefined> {
  return db.selectFrom('jobs').selectAll().where('service_job_id', '=', serviceJobId).executeTakeFirst();
}

/** Returns the number of open jobs, counting only those of the guild and of the member if they are given. */
export async function countOpenJobs(
  db: Queryable,
  { guildId, userId }: { readonly guildId?: string; readonly userId?: string },
): Promise<number> {
  const counted = await db
    .selectFrom('jobs')
    .select((eb) => eb.fn.countAll<number>().as('open'))
    .where(isOpen)
    .$if(guildId !== undefined, (query) => query.where('guild_id', '=', guildId ?? ''))
    .$if(userId !== undefined, (query) => query.where('user_id', '=', userId ?? ''))
    .executeTakeFirstOrThrow();
  return counted.open;
}

/** Returns when the newest job of a member in a guild was accepted. Abandoned jobs do not count. */
export async function lastAcceptedAtMs(
  db: Queryable,
  of: { readonly guildId: string; readonly userId: string },
): Promise<number | undefined> {
  const newest = await db
    .selectFrom('jobs')
    .select('accepted_at_ms')
    .where('guild_id', '=', of.guildId)
    .where('user_id', '=', of.userId)
    .where('stage', '<>', 'abandoned')
    .orderBy('accepted_at_ms', 'desc')
    .limit(1)
    .executeTakeFirst();
  return newest?.accepted_at_ms;
}

type JobsExpression = (eb: ExpressionBuilder<Schema, 'jobs'>) => ExpressionWrapper<Schema, 'jobs', SqlBool>;

function isClaimed(claim: JobClaim): JobsExpression {
  return (eb) => eb.and([eb('id', '=', claim.id), eb('fence', '=', claim.fence), isOpen]);
}

/**
 * Excludes jobs that wait for a confirmation of their price: they need no capacity, and they end by themselves if the
 * member does not answer.
 */
const isGoing = sql<boolean>`(asked_at_ms is null or confirmed_at_ms is not null)`;

/** Returns the number of open jobs across all guilds that wait for no price confirmation, counted up to `limit`. */
export async function countAllOpenJobs(db: Queryable, limit: number): Promise<number> {
  const open = db.selectFrom('jobs').select('id').where(isOpen).where(isGoing).limit(limit).as('open');
  const counted = await db
    .selectFrom(open)
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return counted.count;
}

/** Returns jobs that were settled before `beforeMs` and whose result is still kept, at most `limit`. */
export async function listOldResults(
  db: Queryable,
  options: { readonly beforeMs: number; readonly limit: number },
): Promise<{ readonly id: string; readonly path: string; readonly chatPath: string | null }[]> {
  return db
    .selectFrom('jobs')
    .select(['id', 'chat_path as chatPath'])
    .select(sql<string>`result_path`.as('path'))
    .where(sql<boolean>`stage = 'settled' and result_path is not null`)
    .where('settled_at_ms', '<', options.beforeMs)
    .limit(options.limit)
    .execute();
}

/** Returns the job whose final card is this message. */
export async function findJobByResultMessage(db: Queryable, messageId: string): Promise<JobRow | undefined> {
  return db.selectFrom('jobs').selectAll().where('result_message_id', '=', messageId).executeTakeFirst();
}

/** Records that a job's result is no longer kept. */
export async function clearResult(db: Queryable, id: string): Promise<void> {
  await db.updateTable('jobs').set({ result_path: null, chat_path: null }).where('id', '=', id).execute();
}
