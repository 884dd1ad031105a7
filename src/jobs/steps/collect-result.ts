import { rename } from 'node:fs/promises';
import { sniffFile } from '../../base/media-type.ts';
import { DownloadError } from '../../media-api/download-error.ts';
import type { JobFailure } from '../ports.ts';
import { type Step, type StepResult, retryAt, showStage } from '../step.ts';
import { ask } from './watch.ts';
import type { JobRow } from '../../../db/schema.ts';
import type { StepRun } from '../step.ts';

/** charged -> collected: the result is kept under `DATA_DIR` before its link expires. */
export const collectResult: Step = async (job, _inputs, run) => {
  if (run.clock.now() - (job.finished_at_ms ?? job.accepted_at_ms) > run.limits.collectMsMax) return lost();
  showStage(job, 'collecting', run);
  const url = job.attempts <= 1 ? (job.output_url ?? (await freshLink(job, run))) : await freshLink(job, run);
  if (url === null) return { kind: 'wait', atMs: retryAt(job, run) };
  try {
    return await download(job, url, run);
  } catch (error) {
    if (!(error instanceof DownloadError)) throw error;
    run.log.warn({ jobId: job.id, code: error.code }, 'Result not collected, will ask for a fresh link');
    return { kind: 'wait', atMs: retryAt(job, run) };
  }
};

async function freshLink(job: JobRow, run: StepRun): Promise<string | null> {
  const observed = await ask(job, run);
  return observed === 'not_found' ? null : observed.outputUrl;
}

async function download(job: JobRow, url: string, run: StepRun): Promise<StepResult> {
  const arriving = run.files.resultPath(job.id);
  const kept = await run.api.outputs.download(url, {
    toPath: arriving,
    maxBytes: run.limits.resultBytesMax,
    signal: run.signal,
  });
  const type = await sniffFile(arriving);
  if (!type) {
    run.log.error({ jobId: job.id, sizeBytes: kept.sizeBytes }, 'The result is not image, audio or video');
    return { kind: 'wait', atMs: retryAt(job, run) };
  }
  const path = `${arriving}.${type.extension}`;
  await rename(arriving, path);
  return {
    kind: 'advance',
    to: 'collected',
    patch: {
      result_path: path,
      result_sha256: kept.sha256,
      result_bytes: kept.sizeBytes,
      result_mime: type.mime,
      output_url: null,
    },
  };
}

function lost(): StepResult {
  const failure: JobFailure = { reason: 'result_lost' };
  return {
    kind: 'advance',
    to: 'collected',
    patch: { outcome: 'failed', failure: JSON.stringify(failure), output_url: null },
  };
}
