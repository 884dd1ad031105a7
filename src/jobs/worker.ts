import { DeadlineError, type Timer, withDeadline } from '../base/clock.ts';
import { LinkedSignal } from '../base/linked-signal.ts';
import { backoffMs } from '../base/retry.ts';
import { listJobInputs } from '../../db/queries/job-inputs.ts';
import { advanceJob, claimDueJob, nextDueAtMs, renewLease } from '../../db/queries/jobs.ts';
import type { JobRow } from '../../db/schema.ts';
import { type Lane, type OpenStage, PIPELINE, type StageWork, isOpen } from './pipeline.ts';
import { type StepContext, type StepResult, capabilityOf } from './step.ts';

/** A moment of a step, for observers: about to run, effect done, or result recorded. */
export interface StepEvent {
  readonly jobId: string;
  readonly stage: string;
  readonly moment: 'starting' | 'effected' | 'recorded';
}

export interface WorkerOptions {
  /** Distinguishes this process among those that share the database. */
  readonly owner: string;
  readonly context: StepContext;
  readonly onStep?: (event: StepEvent) => void;
}

const IDLE_MS_MAX = 5_000;
const RETRY = { delayMsFirst: 1_000, delayMsMax: 60_000 };
/** A status check costs next to nothing while it waits for the rate limit, and must not hold up told ends. */
const STATUS_PLACES = 8;
const OPEN_STAGES = Object.keys(PIPELINE) as readonly OpenStage[];

/**
 * Claims due jobs by short leases and runs one step of each, several side by side in each lane. The lease is renewed while
 * a step runs; a step whose lease was lost (its process was paused, another took over) is aborted and records
 * nothing.
 */
export class Worker implements AsyncDisposable {
  readonly #options: WorkerOptions;
  readonly #stopping = new AbortController();
  readonly #running = new Map<Promise<void>, Lane>();
  #started = false;
  #timer: Timer | undefined;
  #claiming: Promise<void> | undefined;
  #again = false;

  constructor(options: WorkerOptions) {
    this.#options = options;
  }

  /** Takes up work from now on. */
  start(): void {
    this.#started = true;
    this.nudge();
  }

  /** Looks for due work now rather than at the next planned moment. Does nothing before `start`. */
  nudge(): void {
    if (!this.#started || this.#stopping.signal.aborted) return;
    this.#again = true;
    this.#claiming ??= this.#claimAll().finally(() => {
      this.#claiming = undefined;
      if (this.#again) this.nudge();
    });
  }

  /** Stops claiming, aborts running steps (they will be repeated) and waits for them to end. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping.abort(new Error('The worker stops'));
    this.#timer?.cancel();
    await this.#claiming;
    await Promise.all(this.#running.keys());
  }

  async #claimAll(): Promise<void> {
    const { log } = this.#options.context;
    try {
      while (this.#again && !this.#stopping.signal.aborted) {
        this.#again = false;
        await this.#fill();
      }
      await this.#sleepUntilDue();
    } catch (error) {
      log.error({ error }, 'Cannot claim jobs, will try again');
      this.#wakeIn(IDLE_MS_MAX);
    }
  }

  async #fill(): Promise<void> {
    const { context, owner } = this.#options;
    const { leaseMs } = context.limits;
    for (;;) {
      const stages = this.#stagesWithRoom();
      if (stages.length === 0 || this.#stopping.signal.aborted) return;
      const nowMs = context.clock.now();
      const job = await claimDueJob(context.db.kysely, { nowMs, leaseMs, owner, stages });
      if (!job || !isOpen(job.stage)) return;
      const run = this.#runClaimed(job).finally(() => {
        this.#running.delete(run);
        this.nudge();
      });
      this.#running.set(run, PIPELINE[job.stage].lane);
    }
  }

  async #sleepUntilDue(): Promise<void> {
    const { context } = this.#options;
    const stages = this.#stagesWithRoom();
    // The end of a step wakes the worker too.
    if (stages.length === 0) return;
    const dueAtMs = await nextDueAtMs(context.db.kysely, stages);
    this.#wakeIn(Math.min(IDLE_MS_MAX, Math.max(0, (dueAtMs ?? Infinity) - context.clock.now())));
  }

  #stagesWithRoom(): OpenStage[] {
    const { stepsAtOnce } = this.#options.context.limits;
    const taken = [...this.#running.values()];
    return OPEN_STAGES.filter((stage) => {
      const { lane } = PIPELINE[stage];
      const places = lane === 'status' ? stepsAtOnce * STATUS_PLACES : stepsAtOnce;
      return taken.filter((other) => other === lane).length < places;
    });
  }

  #wakeIn(delayMs: number): void {
    this.#timer?.cancel();
    if (this.#stopping.signal.aborted) return;
    this.#timer = this.#options.context.clock.after(delayMs, () => this.nudge());
  }

  /** Never rejects: what goes wrong is logged, and the lease runs out or the step is due again. */
  async #runClaimed(job: JobRow): Promise<void> {
    const { context } = this.#options;
    try {
      const result = await this.#runStep(job);
      this.#options.onStep?.({ jobId: job.id, stage: job.stage, moment: 'effected' });
      const recorded = await this.#record(job, result);
      if (!recorded) context.log.warn({ jobId: job.id, stage: job.stage }, 'Lease lost, nothing recorded');
      else this.#options.onStep?.({ jobId: job.id, stage: job.stage, moment: 'recorded' });
      if (result.kind === 'advance' && result.to === 'settled')
        await context.typical.learn([capabilityOf(job)]);
    } catch (error) {
      context.log.error(
        { jobId: job.id, stage: job.stage, error },
        'Cannot record a step, it will be repeated',
      );
    }
  }

  async #runStep(job: JobRow): Promise<StepResult> {
    const { context } = this.#options;
    if (!isOpen(job.stage)) throw new TypeError(`Cannot run a step of stage "${job.stage}"`);
    const work = PIPELINE[job.stage];
    const step = job.withdrawn_at_ms === null ? work.step : (work.withdrawn ?? work.step);
    this.#options.onStep?.({ jobId: job.id, stage: job.stage, moment: 'starting' });
    const lease = this.#keepLease(job);
    try {
      const inputs = await listJobInputs(context.db.kysely, job.id);
      return await withDeadline(
        context.clock,
        context.limits.stepMsMax,
        (signal) => step(job, inputs, { ...context, signal }),
        lease.signal,
      );
    } catch (error) {
      return this.#afterFailure(job, work, error, lease.signal);
    } finally {
      lease.stop();
    }
  }

  #afterFailure(job: JobRow, { failed }: StageWork, error: unknown, signal: AbortSignal): StepResult {
    const { context } = this.#options;
    const nowMs = context.clock.now();
    if (signal.aborted) return { kind: 'wait', atMs: nowMs };
    const timedOut = error instanceof DeadlineError;
    context.log.warn(
      { jobId: job.id, stage: job.stage, attempts: job.attempts, timedOut, error },
      'A step failed',
    );
    const result = failed?.(job, error, { ...context, signal });
    return result ?? { kind: 'wait', atMs: nowMs + backoffMs(RETRY, job.attempts) };
  }

  async #record(job: JobRow, result: StepResult): Promise<boolean> {
    const { db, clock } = this.#options.context;
    return db.transaction(async (trx) => {
      const patch =
        result.kind === 'wait'
          ? { ...result.patch, due_at_ms: result.atMs }
          : {
              ...result.patch,
              stage: result.to,
              ...(result.dueAtMs === undefined ? {} : { due_at_ms: result.dueAtMs }),
            };
      const recorded = await advanceJob(trx, job, { nowMs: clock.now(), patch });
      if (recorded && result.kind === 'advance') await result.also?.(trx);
      return recorded !== undefined;
    });
  }

  /** Renews the lease until `stop`. The signal aborts when it was lost, and when the worker stops. */
  #keepLease(job: JobRow): { readonly signal: AbortSignal; stop(): void } {
    const { clock, db, limits, log } = this.#options.context;
    const linked = new LinkedSignal(this.#stopping.signal);
    let timer: Timer;
    const renew = (): void => {
      timer = clock.after(limits.leaseMs / 3, renew, { background: true });
      renewLease(db.kysely, job, { nowMs: clock.now(), leaseMs: limits.leaseMs }).then(
        (kept) => {
          if (!kept) linked.abort(new Error('The lease was lost'));
        },
        (error: unknown) => log.warn({ jobId: job.id, error }, 'Cannot renew a lease'),
      );
    };
    timer = clock.after(limits.leaseMs / 3, renew, { background: true });
    const stop = (): void => {
      timer.cancel();
      linked[Symbol.dispose]();
    };
    return { signal: linked.signal, stop };
  }
}
