import { copyFile } from 'node:fs/promises';
import { putInputOwners } from '../../../../db/queries/input-owners.ts';
import { findJobInput } from '../../../../db/queries/job-inputs.ts';
import { findJob } from '../../../../db/queries/jobs.ts';
import type { InputKind, JobInputRow } from '../../../../db/schema/job-inputs.ts';
import type { JobRow } from '../../../../db/schema/jobs.ts';
import { ServiceError, systemErrorCode, unreachable } from '../../../base/errors.ts';
import { ownerRow, ownersOfMessage } from '../inputs/input-owners.ts';
import type { InputProblem } from '../inputs/inputs.ts';
import type { StepRun } from './step.ts';
import type { InputFetchFailure } from '../inputs/input-fetcher.ts';

const GONE: InputProblem = { kind: 'missing' };

/**
 * Brings an input from wherever its member pointed to into the file `toPath`, unseen. Returns what is wrong when it
 * cannot be had for good; throws when another try may bring it.
 */
export async function bring(
  job: JobRow,
  input: JobInputRow,
  toPath: string,
  run: StepRun,
): Promise<InputProblem | undefined> {
  switch (input.source) {
    case 'chat':
      return download(job, input.url, { kind: input.kind, toPath }, run);
    case 'newest':
      return downloadNewest(job, input, toPath, run);
    case 'saved_face':
    case 'result':
    case 'input':
      return copyKept(await keptPath(job, input, run), toPath);
    default:
      return unreachable(input.source);
  }
}

async function download(
  job: JobRow,
  url: string,
  to: { readonly kind: InputKind; readonly toPath: string },
  run: StepRun,
): Promise<InputProblem | undefined> {
  const sizeBytesMax = run.limits.inputBytesMax[to.kind];
  try {
    await run.fetcher.fetch({ url, toPath: to.toPath, sizeBytesMax }, run.signal);
    return undefined;
  } catch (error) {
    const isLate = run.clock.now() - job.accepted_at_ms > run.limits.prepareMsMax;
    if (isFetchFailure(error) && (!error.retryable || isLate)) return error.problem;
    throw error;
  }
}

async function downloadNewest(
  job: JobRow,
  { kind, field }: JobInputRow,
  toPath: string,
  run: StepRun,
): Promise<InputProblem | undefined> {
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
  return download(job, found.url, { kind, toPath }, run);
}

/** Where the file is kept already; null when it is not, or is not for this member and server. */
async function keptPath(job: JobRow, input: JobInputRow, run: StepRun): Promise<string | null> {
  const { kysely } = run.db;
  const id = input.source_id ?? '';
  if (input.source === 'saved_face') return (await run.savedFaces?.pathOf(id, job.user_id)) ?? null;
  const [jobId = '', field = ''] = id.split('/');
  const owner = await findJob(kysely, jobId);
  if (owner?.taken_back === 'deleted') return null;
  if (input.source === 'result') return owner?.guild_id === job.guild_id ? owner.result_path : null;
  // Another try has the files of the first one, whoever asked for it: that was allowed when it was taken on.
  const isOfRetry = job.retry_of === jobId && owner?.guild_id === job.guild_id;
  if (owner?.user_id !== job.user_id && !isOfRetry) return null;
  return (await findJobInput(kysely, { jobId, field }))?.path ?? null;
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
