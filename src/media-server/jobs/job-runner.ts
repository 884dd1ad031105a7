import { rename, rm, stat } from 'node:fs/promises';
import { type Clock, DeadlineError, type Timer, sleep, withDeadline } from '../../base/clock.ts';
import { randomId } from '../../base/ids.ts';
import type { Logger } from '../../base/log.ts';
import type { JobErrorCode, UsageReason } from '../../media-api/wire.ts';
import type { CheckContent } from './content-check.ts';
import type { JobCapability, Rendered } from '../capabilities/capability.ts';
import { RenderError } from '../engine/render-error.ts';
import type { Jobs } from './jobs.ts';
import type { MediaFiles } from '../files/media-files.ts';
import type { Database } from '../store/database.ts';
import { type JobEnd, type JobRow, claimJob, findJob, jobInputs, uncountRender } from '../store/jobs.ts';

/**
 * The largest number of times that a job is rendered, so that a job whose render crashes the process is not restarted
 * forever. Renders that end with an orderly stop do not count.
 */
const RENDERS_MAX = 5;
/**
 * While renders are running, the interval at which to look for jobs that the console, which is another process, has
 * cancelled.
 */
const SWEEP_MS = 5_000;
/**
 * The pause between attempts to store the end of a job while the database fails, and the number of attempts: five
 * minutes in all.
 */
const END_AGAIN_MS = 5_000;
const ENDS_MAX = 60;

interface JobRunnerOptions {
  readonly db: Database;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly jobs: Jobs;
  readonly files: MediaFiles;
  readonly capabilities: readonly JobCapability[];
  readonly checkContent: CheckContent;
  /** The number of renders that run at the same time. */
  readonly workers: number;
  readonly renderTimeoutMs: number;
  readonly outputRetentionMs: number;
  /** Called after each sweep. Jobs may have ended in another process, so their webhooks may be due. */
  readonly onSweep: () => void;
}

/**
 * Renders queued jobs, a limited number at a time and fairly between accounts. The queue is in the database: the next
 * server restarts jobs that a stopped or killed server left unfinished.
 */
export class JobRunner implements AsyncDisposable {
  readonly #options: JobRunnerOptions;
  readonly #runId = randomId('run');
  readonly #rendering = new Map<string, { work: Promise<void>; cancel: AbortController }>();
  readonly #stop = new AbortController();
  #timer: Timer | undefined;

  constructor(options: JobRunnerOptions) {
    this.#options = options;
  }

  /** Gives queued jobs to free workers. It is called whenever a job has been queued or a worker has become free. */
  wake(): void {
    if (this.#stop.signal.aborted) return;
    const { db, clock, logger, workers } = this.#options;
    let failed = false;
    try {
      while (this.#rendering.size < workers) {
        const job = claimJob(db, this.#runId, clock.now());
        if (!job) break;
        this.#begin(job);
      }
    } catch (error) {
      failed = true;
      logger.error({ error }, 'Cannot look for queued jobs');
    }
    this.#timer?.cancel();
    if (failed || this.#rendering.size > 0) {
      this.#timer = clock.after(SWEEP_MS, () => this.#sweep(), { background: true });
    }
  }

  /** Stops the render of a job that has already ended for another reason, if the render is running in this process. */
  interrupt(jobId: string): void {
    this.#rendering.get(jobId)?.cancel.abort(new Error('The job has ended'));
  }

  /** Stops all renders. Their jobs stay `processing` and are rendered again after the next start. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort(new Error('The server is stopping'));
    this.#timer?.cancel();
    await Promise.all([...this.#rendering.values()].map(({ work }) => work));
  }

  #sweep(): void {
    const { db, logger, onSweep } = this.#options;
    try {
      for (const id of this.#rendering.keys()) {
        if (typeof findJob(db, id)?.finishedAt === 'number') this.interrupt(id);
      }
    } catch (error) {
      logger.error({ error }, 'Cannot look for cancelled jobs');
    }
    onSweep();
    this.wake();
  }

  #begin(job: JobRow): void {
    const cancel = new AbortController();
    const work = this.#run(job, AbortSignal.any([cancel.signal, this.#stop.signal])).finally(() => {
      this.#rendering.delete(job.id);
      this.wake();
    });
    this.#rendering.set(job.id, { work, cancel });
  }

  async #run(job: JobRow, signal: AbortSignal): Promise<void> {
    const { clock, logger, files, outputRetentionMs } = this.#options;
    const part = files.part();
    try {
      if (job.renders > RENDERS_MAX)
        throw new RenderError('processing_failed', 'Cannot render: tried too often');
      const rendered = await this.#render(job, part, signal);
      signal.throwIfAborted();
      await rename(part, files.output(job.id));
      const kept = await this.#end(job, {
        status: 'succeeded',
        outputFile: job.id,
        outputMime: rendered.mime,
        milliUnits: Math.round(rendered.units * 1000),
        outputExpiresAt: clock.now() + outputRetentionMs,
      });
      if (!kept) await rm(files.output(job.id), { force: true });
    } catch (error) {
      if (this.#stop.signal.aborted) this.#giveBack(job);
      if (signal.aborted) return;
      const failure = failureOf(error);
      const fields = { jobId: job.id, feature: job.feature, errorCode: failure.errorCode };
      if (failure.errorCode === 'processing_failed') logger.warn({ ...fields, error }, 'A render failed');
      else logger.info(fields, 'A file could not be used');
      await this.#endFailed(job, failure);
    } finally {
      await this.#discard(part);
    }
  }

  async #render(job: JobRow, outputPath: string, signal: AbortSignal): Promise<Rendered> {
    const { db, clock, capabilities, files, checkContent, renderTimeoutMs } = this.#options;
    const capability = capabilities.find(({ feature }) => feature === job.feature);
    if (!capability?.render)
      throw new RenderError('processing_failed', 'Cannot render: the capability is not offered');
    const parameters = capability.parameters.parse(JSON.parse(job.request));
    const inputs = new Map(
      jobInputs(db, job.id).map(({ field, uploadId }) => [field, files.upload(uploadId)]),
    );
    const input = (field: string): string => {
      const path = inputs.get(field);
      if (path === undefined) throw new TypeError(`Cannot render: there is no "${field}"`);
      return path;
    };
    const { render } = capability;
    const work = async (deadline: AbortSignal): Promise<Rendered> => {
      await requireAccepted(checkContent, [...inputs.values()], deadline);
      const rendered = await render({ input, parameters, outputPath }, deadline);
      await requireAccepted(checkContent, [outputPath], deadline);
      if ((await stat(outputPath)).size === 0) throw new Error('Cannot keep an output: it is empty');
      return rendered;
    };
    return await withDeadline(clock, renderTimeoutMs, work, signal);
  }

  #giveBack(job: JobRow): void {
    try {
      uncountRender(this.#options.db, job.id);
    } catch (error) {
      this.#options.logger.warn(
        { error, jobId: job.id },
        'Cannot decrement the render count of a stopped job',
      );
    }
  }

  async #endFailed(job: JobRow, failure: Failure): Promise<void> {
    try {
      await this.#end(job, { status: 'failed', ...failure });
    } catch (error) {
      if (this.#stop.signal.aborted) this.#giveBack(job);
      else this.#options.logger.error({ error, jobId: job.id }, 'Cannot record the end of a job');
    }
  }

  /**
   * Ends the job, and retries while the database fails. The worker stays occupied meanwhile, because no other job could
   * start either. Throws when stopped, and after the last attempt.
   */
  async #end(job: JobRow, end: JobEnd): Promise<boolean> {
    const { clock, logger, jobs } = this.#options;
    for (let attempt = 1; ; attempt++) {
      try {
        return jobs.end(job.id, end);
      } catch (error) {
        logger.error({ error, jobId: job.id, attempt }, 'Cannot end a job');
        if (attempt === ENDS_MAX) throw error;
      }
      await sleep(clock, END_AGAIN_MS, this.#stop.signal);
    }
  }

  async #discard(part: string): Promise<void> {
    try {
      await rm(part, { force: true });
    } catch (error) {
      this.#options.logger.warn({ error }, 'Cannot remove an unfinished output');
    }
  }
}

async function requireAccepted(
  checkContent: CheckContent,
  paths: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  for (const path of paths) {
    if ((await checkContent(path, signal)) === 'rejected') {
      throw new RenderError('content_rejected', 'Cannot render: the content check rejected a file');
    }
  }
}

interface Failure {
  readonly errorCode: JobErrorCode;
  readonly reason: UsageReason;
}

function failureOf(error: unknown): Failure {
  if (error instanceof DeadlineError) return { errorCode: 'processing_failed', reason: 'timed_out' };
  if (error instanceof RenderError) {
    return { errorCode: error.code, reason: 'render_failed' };
  }
  return { errorCode: 'processing_failed', reason: 'render_failed' };
}
