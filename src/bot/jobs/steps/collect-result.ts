import type { JobRow } from '../../../../db/schema/jobs.ts';
import type { Clock } from '../../../base/clock.ts';
import type { Logger } from '../../../base/log.ts';
import { DownloadError } from '../../../media-api/download-error.ts';
import type { MediaApi } from '../../../media-api/media-api.ts';
import type { Downloaded } from '../../../media-api/outputs.ts';
import type { MediaPool } from '../../media/pool/media-pool.ts';
import type { JobFailure } from '../cards.ts';
import type { JobLimits } from '../job-limits.ts';
import type { JobFiles } from '../results/job-files.ts';
import { type AskServiceTools, askService } from './ask-service.ts';
import { type KeepResultTools, keepResult } from './keep-result.ts';
import { retryAt } from './retry-at.ts';
import { type ShowStageTools, showStage } from './show-stage.ts';
import type { Failed, GivenUp, Step, StepControl, StepResult } from './step.ts';

interface LastTryTools {
  readonly clock: Clock;
  readonly limits: Pick<JobLimits, 'collectMsMax'>;
  readonly log: Logger;
}

type DownloadTools = AskServiceTools & {
  readonly api: Pick<MediaApi, 'outputs'>;
  readonly files: Pick<JobFiles, 'resultPath'>;
  readonly limits: Pick<JobLimits, 'resultBytesMax'>;
};

export type CollectResultTools = LastTryTools &
  DownloadTools &
  KeepResultTools &
  ShowStageTools & { readonly media: Pick<MediaPool, 'sniff'> };

/** The minimum number of attempts to collect a result, even if the time limit passed while the bot was not running. */
const ATTEMPTS_MIN = 5;

/** charged -> collected: downloads the result before its link expires, marks it, and keeps it under `DATA_DIR`. */
export const collectResult: Step<CollectResultTools> = async (job, _inputs, run) => {
  // Nobody may see the result of a cancelled or deleted job, so it is not downloaded.
  if (job.taken_back !== null) return { kind: 'advance', to: 'collected', patch: { output_url: null } };
  showStage(job, 'collecting', run);
  const kept = await download(job, run);
  if (!kept) return tryAgain(job, run);
  const type = await run.media.sniff(kept.path, run.signal, job.guild_id);
  if (!type) {
    run.log.error({ jobId: job.id, sizeBytes: kept.sizeBytes }, 'The result is not image, audio or video');
    return tryAgain(job, run);
  }
  const patch = await keepResult(job, { path: kept.path, type }, run);
  return {
    kind: 'advance',
    to: 'collected',
    patch: { ...patch, result_sha256: kept.sha256, output_url: null },
  };
};

export const notCollected: Failed<LastTryTools> = (job, error, tools) => {
  const isFinal = error instanceof DownloadError && error.code === 'too_large';
  return isFinal || isOver(job, tools) ? lost(job, tools) : undefined;
};

/** Downloads the result. Returns `undefined` if the service has no link for it yet. */
async function download(
  job: JobRow,
  run: DownloadTools & Pick<StepControl, 'signal'>,
): Promise<Downloaded | undefined> {
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
  const observed = await askService(job, run);
  const url = observed === 'not_found' ? null : observed.outputUrl;
  return url === null ? undefined : run.api.outputs.download(url, options);
}

function tryAgain(job: JobRow, tools: LastTryTools): StepResult {
  return isOver(job, tools) ? lost(job, tools) : { kind: 'wait', atMs: retryAt(job, tools) };
}

function isOver(job: JobRow, { clock, limits }: LastTryTools): boolean {
  return job.attempts >= ATTEMPTS_MIN && clock.now() - job.stage_since_ms > limits.collectMsMax;
}

/** Ends the job without its result, which the service produced and charged for. */
export const lost: GivenUp<Pick<LastTryTools, 'log'>> = (job, { log }) => {
  log.error({ jobId: job.id }, 'A result could not be collected');
  const failure: JobFailure = { reason: 'result_lost' };
  return {
    kind: 'advance',
    to: 'collected',
    patch: { outcome: 'failed', failure: JSON.stringify(failure), output_url: null },
  };
};
