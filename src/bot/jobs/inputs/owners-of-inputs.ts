import { unreachable } from '../../../base/errors.ts';
import { findFace } from '../../../../db/queries/faces.ts';
import { listInputOwners } from '../../../../db/queries/input-owners.ts';
import { findJobByResultMessage } from '../../../../db/queries/jobs.ts';
import { isUndeleted } from '../../../../db/queries/undeleted-messages.ts';
import type { Queryable } from '../../../../db/schema.ts';
import type { InputOwnerRow } from '../../../../db/schema/job-inputs.ts';
import type { InputOwner, InputRequest, InputSource, PostedIn } from './inputs.ts';

const OWNERS_MAX = 100;

/** Whose pictures a file is, or is made from; what is kept of an earlier job is still its owners'. */
export async function ownersOf(db: Queryable, source: InputSource): Promise<readonly InputOwner[]> {
  switch (source.from) {
    case 'chat':
      if (source.postedIn) return ownersOfMessage(db, source.postedIn);
      // Of a file that a member attaches to the command nobody knows whom it shows: the member answers for it.
      return source.of ? [source.of] : [];
    case 'newest':
      // The step that finds the file notes who posted it.
      return [];
    case 'saved_face': {
      const face = await findFace(db, source.faceId);
      return face ? [{ kind: 'face', userId: face.user_id }] : [];
    }
    case 'result':
      return storedOwners(db, { jobId: source.jobId });
    case 'input':
      return storedOwners(db, { jobId: source.jobId, field: source.field });
    default:
      return unreachable(source);
  }
}

/**
 * The same of a file in a message of the chat: of a result that the bot posted those of its job, also when its file is
 * no longer kept; of any other file its author. Of a message of the bot that no job is known of the owners are gone.
 */
export async function ownersOfMessage(
  db: Queryable,
  { messageId, authorId, isOwn }: PostedIn,
): Promise<readonly InputOwner[]> {
  const job = await findJobByResultMessage(db, messageId);
  if (job && job.taken_back !== 'deleted') return storedOwners(db, { jobId: job.id });
  if (job || isOwn || (await isUndeleted(db, messageId))) return [{ kind: 'gone' }];
  return [{ kind: 'message', userId: authorId }];
}

async function storedOwners(
  db: Queryable,
  of: { readonly jobId: string; readonly field?: string },
): Promise<readonly InputOwner[]> {
  const rows = await listInputOwners(db, of, OWNERS_MAX);
  return rows.map(({ kind, owner_id: userId }) => (kind === 'gone' ? { kind } : { kind, userId }));
}

/** The same of several inputs, by field. */
export async function ownersOfInputs(
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
