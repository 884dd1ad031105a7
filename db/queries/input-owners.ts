import type { Queryable, Trx } from '../schema.ts';
import type { InputOwnerRow } from '../schema/job-inputs.ts';

/** Stores the owners of input pictures. Owners that are already stored stay unchanged. */
export async function putInputOwners(db: Queryable, owners: readonly InputOwnerRow[]): Promise<void> {
  if (owners.length === 0) return;
  await db
    .insertInto('job_input_owners')
    .values(owners)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/**
 * Returns at most `limit` owners of the pictures in one input of a job, or in all its inputs if `field` is absent.
 */
export async function listInputOwners(
  db: Queryable,
  of: { readonly jobId: string; readonly field?: string },
  limit: number,
): Promise<Pick<InputOwnerRow, 'owner_id' | 'kind'>[]> {
  return db
    .selectFrom('job_input_owners')
    .select(['owner_id', 'kind'])
    .where('job_id', '=', of.jobId)
    .$if(of.field !== undefined, (query) => query.where('field', '=', of.field ?? ''))
    .limit(limit)
    .execute();
}

/** Identifies a member's pictures among the inputs of jobs that were accepted up to `untilMs`. */
export interface LentPictures {
  readonly ownerId: string;
  readonly untilMs: number;
}

interface LentPicture {
  readonly jobId: string;
  readonly field: string;
  readonly path: string | null;
}

/** Returns the pictures that `of` identifies and that their jobs no longer need, at most `limit`. */
export async function listRestingLent(
  db: Queryable,
  of: LentPictures,
  limit: number,
): Promise<LentPicture[]> {
  return db
    .selectFrom('job_input_owners as owner')
    .innerJoin('jobs', 'jobs.id', 'owner.job_id')
    .innerJoin('job_inputs as input', (join) =>
      join.onRef('input.job_id', '=', 'owner.job_id').onRef('input.field', '=', 'owner.field'),
    )
    .select(['input.job_id as jobId', 'input.field', 'input.path'])
    .where('owner.owner_id', '=', of.ownerId)
    .where('jobs.accepted_at_ms', '<=', of.untilMs)
    .where('jobs.stage', 'not in', ['accepted', 'fetched', 'uploaded', 'submitting'])
    .limit(limit)
    .execute();
}

/** Whether there are any pictures that `of` identifies, including those that a job still needs. */
export async function hasLent(db: Queryable, of: LentPictures): Promise<boolean> {
  const found = await db
    .selectFrom('job_input_owners as owner')
    .innerJoin('jobs', 'jobs.id', 'owner.job_id')
    .select('owner.job_id')
    .where('owner.owner_id', '=', of.ownerId)
    .where('jobs.accepted_at_ms', '<=', of.untilMs)
    .limit(1)
    .executeTakeFirst();
  return found !== undefined;
}

/** Deletes the link to a picture whose file was removed, and replaces its owner with one of the kind `gone`. */
export async function clearLentPicture(
  trx: Trx,
  ownerId: string,
  { jobId, field }: LentPicture,
): Promise<void> {
  await trx
    .updateTable('job_inputs')
    .set({ path: null, url: '' })
    .where('job_id', '=', jobId)
    .where('field', '=', field)
    .execute();
  await trx
    .deleteFrom('job_input_owners')
    .where('job_id', '=', jobId)
    .where('field', '=', field)
    .where('owner_id', '=', ownerId)
    .execute();
  await putInputOwners(trx, [{ job_id: jobId, field, owner_id: '', kind: 'gone' }]);
}
