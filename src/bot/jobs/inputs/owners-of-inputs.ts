import { unreachable } from '../../../base/errors.ts';
import { findFace } from '../../../../db/queries/faces.ts';
import { listInputOwners } from '../../../../db/queries/input-owners.ts';
import { findJobByResultMessage } from '../../../../db/queries/jobs.ts';
import { isUndeleted } from '../../../../db/queries/undeleted-messages.ts';
import type { Queryable } from '../../../../db/schema.ts';
import type { InputOwnerRow } from '../../../../db/schema/job-inputs.ts';
import type { InputOwner, InputRequest, InputSource, PostedIn } from './inputs.ts';

const OWNERS_MAX = 100;

/**
 * Returns the owners of the pictures from which a file was made, or of the file itself if it is a picture. Files from
 * an earlier job keep their owners.
 */
export async function ownersOf(db: Queryable, source: InputSource): Promise<readonly InputOwner[]> {
  switch (source.from) {
    case 'chat':
      if (source.postedIn) return ownersOfMessage(db, source.postedIn);
      // The bot cannot know whom an attached file shows, so the member who attaches it is responsible.
      return source.of ? [source.of] : [];
    case 'newest':
      // The file is not known yet. The step that finds it stores its owners.
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
 * Returns the owners of a file in a chat message. A result that the bot posted has the owners of its job, even if its
 * file is no longer kept. The owner of any other file is the author of the message. If the bot posted the message and
 * its job is not known, the owners are gone.
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

/** Returns the owners of all inputs, by body field. */
export async function ownersOfInputs(
  db: Queryable,
  inputs: readonly InputRequest[],
): Promise<ReadonlyMap<string, readonly InputOwner[]>> {
  const owners = new Map<string, readonly InputOwner[]>();
  for (const { field, source } of inputs) owners.set(field, await ownersOf(db, source));
  return owners;
}

/** Returns the row that stores an owner with the input of a job. */
export function ownerRow(input: { jobId: string; field: string }, owner: InputOwner): InputOwnerRow {
  const owner_id = owner.kind === 'gone' ? '' : owner.userId;
  return { job_id: input.jobId, field: input.field, owner_id, kind: owner.kind };
}
