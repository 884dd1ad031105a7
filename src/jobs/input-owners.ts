import { listInputOwners } from '../../db/queries/input-owners.ts';
import type { Queryable } from '../../db/schema.ts';
import type { InputOwnerRow } from '../../db/schema/job-inputs.ts';
import type { InputOwner, InputRequest, InputSource } from './inputs.ts';

const OWNERS_MAX = 100;

/** Whose pictures a file is, or is made from; what is kept of an earlier job is still its owners'. */
export async function ownersOf(db: Queryable, source: InputSource): Promise<readonly InputOwner[]> {
  if (source.from === 'chat') return source.of ? [source.of] : [];
  if (source.from !== 'input' && source.from !== 'result') return [];
  const of = { jobId: source.jobId, ...(source.from === 'input' ? { field: source.field } : {}) };
  const rows = await listInputOwners(db, of, OWNERS_MAX);
  return rows.map(({ kind, owner_id: userId }) => (kind === 'gone' ? { kind } : { kind, userId }));
}

/** The same of several inputs, by field. */
export async function ownersOfAll(
  db: Queryable,
  inputs: readonly InputRequest[],
): Promise<ReadonlyMap<string, readonly InputOwner[]>> {
  const owners = new Map<string, readonly InputOwner[]>();
  for (const { field, source } of inputs) owners.set(field, await ownersOf(db, source));
  return owners;
}

/** An owner as it is stored with the input of a job. */
export function ownerRow(input: { jobId: string; field: string }, owner: InputOwner): InputOwnerRow {
  const owner_id = owner.kind === 'gone' ? '' : owner.userId;
  return { job_id: input.jobId, field: input.field, owner_id, kind: owner.kind };
}
