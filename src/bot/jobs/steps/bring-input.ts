import { copyFile } from 'node:fs/promises';
import type { Database } from '../../../../db/database.ts';
import { putInputOwners } from '../../../../db/queries/input-owners.ts';
import { findJobInput } from '../../../../db/queries/job-inputs.ts';
import { findJob } from '../../../../db/queries/jobs.ts';
import type { JobInputRow } from '../../../../db/schema/job-inputs.ts';
import type { JobRow } from '../../../../db/schema/jobs.ts';
import type { Clock } from '../../../base/clock.ts';
import { ServiceError, systemErrorCode, unreachable } from '../../../base/errors.ts';
import type { InputProblem } from '../inputs/inputs.ts';
import { ownerRow, ownersOfMessage } from '../inputs/owners-of-inputs.ts';
import type { JobLimits } from '../job-limits.ts';
import type { StepControl } from './step.ts';
import type { InputFetchFailure, InputFetcher } from '../inputs/input-fetcher.ts';
import type { NewestFile } from '../inputs/newest-file.ts';
import type { OwnerWishes } from '../inputs/owner-wishes.ts';
import type { SavedFaces } from '../inputs/saved-faces.ts';

interface DownloadTools {
  readonly fetcher: InputFetcher;
  readonly limits: Pick<JobLimits, 'inputBytesMax' | 'prepareMsMax'>;
  readonly clock: Clock;
}

export interface BringInputTools extends DownloadTools {
  readonly db: Database;
  /** Finds the newest file in a channel. If `undefined`, inputs that refer to the newest file count as missing. */
  readonly newest: NewestFile | undefined;
  /** Finds saved faces. If `undefined`, inputs that refer to saved faces count as missing. */
  readonly savedFaces: SavedFaces | undefined;
  /** Decides whose pictures may be used. If `undefined`, everybody's may be used. */
  readonly ownerWishes: OwnerWishes | undefined;
}

/** An input that is being copied or downloaded into a file. */
interface Arriving {
  readonly job: JobRow;
  readonly input: JobInputRow;
  readonly toPath: string;
}

const GONE: InputProblem = { kind: 'missing' };

/**
 * Copies or downloads an input into the file `toPath`, from the source that the member chose, without inspecting it.
 * Returns the problem if no further attempt can succeed. Throws if another attempt may succeed.
 */
export async function bringInput(
  arriving: Arriving,
  run: BringInputTools & Pick<StepControl, 'signal'>,
): Promise<InputProblem | undefined> {
  const { input, toPath } = arriving;
  switch (input.source) {
    case 'chat':
      return download(arriving, input.url, run);
    case 'newest':
      return downloadNewest(arriving, run);
    case 'saved_face':
    case 'result':
    case 'input':
      return copyKept(await keptPath(arriving, run), toPath);
    default:
      return unreachable(input.source);
  }
}

async function download(
  { job, input, toPath }: Arriving,
  url: string,
  { fetcher, limits, clock, signal }: DownloadTools & Pick<StepControl, 'signal'>,
): Promise<InputProblem | undefined> {
  const sizeBytesMax = limits.inputBytesMax[input.kind];
  try {
    await fetcher.fetch({ url, toPath, sizeBytesMax }, signal);
    return undefined;
  } catch (error) {
    const isLate = clock.now() - job.accepted_at_ms > limits.prepareMsMax;
    if (isFetchFailure(error) && (!error.retryable || isLate)) return error.problem;
    throw error;
  }
}

async function downloadNewest(
  arriving: Arriving,
  run: BringInputTools & Pick<StepControl, 'signal'>,
): Promise<InputProblem | undefined> {
  const { job, input } = arriving;
  const { kind, field } = input;
  if (kind === 'text') throw new TypeError('Cannot look for the newest text of a channel');
  const by = { guildId: job.guild_id, userId: job.user_id };
  const found = await run.newest?.find(
    {
      channelId: job.channel_id,
      kind,
      sizeBytesMax: run.limits.inputBytesMax[kind],
      isFree: async (file) => {
        const owners = await ownersOfMessage(run.db.kysely, file);
        return run.ownerWishes ? run.ownerWishes.allow(by, owners) : true;
      },
    },
    run.signal,
  );
  if (!found) return GONE;
  const owners = await ownersOfMessage(run.db.kysely, found);
  await putInputOwners(
    run.db.kysely,
    owners.map((owner) => ownerRow({ jobId: job.id, field }, owner)),
  );
  return download(arriving, found.url, run);
}

/**
 * Returns the path of a file that is already kept; null if there is none, or if this member or guild may not use it.
 */
async function keptPath(
  { job, input }: Arriving,
  { db, savedFaces }: Pick<BringInputTools, 'db' | 'savedFaces'>,
): Promise<string | null> {
  const id = input.source_id ?? '';
  if (input.source === 'saved_face') return (await savedFaces?.pathOf(id, job.user_id)) ?? null;
  const [jobId = '', field = ''] = id.split('/');
  const owner = await findJob(db.kysely, jobId);
  if (owner?.taken_back === 'deleted') return null;
  if (input.source === 'result') return owner?.guild_id === job.guild_id ? owner.result_path : null;
  // A retry uses the files of the job that it repeats, even if another member requested that job. Whether the retry is
  // allowed was checked when it was accepted.
  const isOfRetry = job.retry_of === jobId && owner?.guild_id === job.guild_id;
  if (owner?.user_id !== job.user_id && !isOfRetry) return null;
  return (await findJobInput(db.kysely, { jobId, field }))?.path ?? null;
}

async function copyKept(path: string | null, toPath: string): Promise<InputProblem | undefined> {
  if (path === null) return GONE;
  try {
    await copyFile(path, toPath);
    return undefined;
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return GONE;
    throw error;
  }
}

function isFetchFailure(error: unknown): error is InputFetchFailure {
  return error instanceof ServiceError && 'problem' in error && 'retryable' in error;
}
