import type { JobRow } from '../../../../db/schema/jobs.ts';
import { DownloadError } from '../../../media-api/download-error.ts';
import type { Downloaded } from '../../../media-api/outputs.ts';
import { keepResult } from './keep-result.ts';
import type { JobFailure } from '../cards.ts';
import {
  type Failed,
  type GivenUp,
  type Step,
  type StepResult,
  type StepRun,
  retryAt,
  showStage,
} from './step.ts';
import { ask } from './watch.ts';

/** However long the bot was away, a result is tried to be collected at least this often. */
const ATTEMPTS_MIN = 5;

/** charged -> collected: the result is kept under `DATA_DIR`, marked, before its link expires. */
export const collectResult: Step = async (job, _inputs, run) => {
  // Nobody is to see it: what was taken back is not even fetched.
  if (job.taken_back !== null) return { kind: 'advance', to: 'collected', patch: { output_url: null } };
  showStage(job, 'collecting', run);
  const kept = await download(job, run);
  if (!kept) return tryAgain(job, run);
  const type = await run.media.sniff(kept.path, run.signal, job.guild_id);
  if (!type) {
    run.log.error({ jobId: job.id, sizeBytes: kept.sizeBytes }, 'The result is not image, audio or video');
    return tryAgain(job, run);
  }
  const patch = await keepResult(job, kept.path, type, run);
  return {
    kind: 'advance',
    to: 'collected',
    patch: { ...patch, result_sha256: kept.sha256, output_url: null },
  };
};

export const notCollected: Failed = (job, error, run) => {
  const isFinal = error instanceof DownloadError && error.code === 'too_large';
  return isFinal || isOver(job, run) ? lost(job, run) : undefined;
};

/** Undefined when the service has no link for it yet. */
async function download(job: JobRow, run: StepRun): Promise<Downloaded | undefined> {
  const options = {
    toPath: run.files.resultPath(job.id),
    maxBytes: run.limits.resultBytesMax,
    signal: run.signal,
  };
  if (job.output_url !== null && job.attempts <= 1) {
    try {
      return await run.api.outputs.download(job.output_url, options);
    } catch (error) {
      if (!(error instanceof DownloadError) || error.code !== 'link_expired') throw error;
    }
  }
  const observed = await ask(job, run);
  const url = observed === 'not_found' ? null : observed.outputUrl;
  return url === null ? undefined : run.api.outputs.download(url, options);
}

async function tryAgain(job: JobRow, run: StepRun): Promise<StepResult> {
  return isOver(job, run) ? lost(job, run) : { kind: 'wait', atMs: retryAt(job, run) };
}

function isOver(job: JobRow, run: StepRun): boolean {
  return job.attempts >= ATTEMPTS_MIN && run.clock.now() - job.stage_since_ms > run.limits.collectMsMax;
}

/** Ends the job without its result, which the service produced and charged for. */
export const lost: GivenUp = (job, run) => {
  run.log.error({ jobId: job.id }, 'A result could not be collected');
  const failure: JobFailure = { reason: 'result_lost' };
  return {
    kind: 'advance',
    to: 'collected',
    patch: { outcome: 'failed', failure: JSON.stringify(failure), output_url: null },
  };
};
