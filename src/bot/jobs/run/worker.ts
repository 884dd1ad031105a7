import type { Timer } from '../../../base/clock.ts';
import { withinUse } from '../../../base/wire-note.ts';
import {
  LAST_TRY_LINE,
  claimFirst,
  isAnybodyIn,
  joinLines,
  nextDueAtMs,
} from '../../../../db/queries/job-lines.ts';
import type { Trx } from '../../../../db/schema.ts';
import type { JobRow } from '../../../../db/schema/jobs.ts';
import { Lanes } from './lanes.ts';
import { giveUp, recordResult, runStep } from './run-step.ts';
import { type StepContext, type StepResult, capabilityOf } from '../steps/step.ts';

/** A moment of a step, for observers: about to run, effect done, or result recorded. */
export interface StepEvent {
  readonly jobId: string;
  readonly stage: string;
  readonly moment: 'starting' | 'effected' | 'recorded';
  /** With `recorded`: whether the stage is done, rather than to be looked at again later. */
  readonly isDone?: boolean;
}

interface WorkerOptions {
  /** Distinguishes this process among those that share the database. */
  readonly owner: string;
  readonly context: StepContext;
  readonly onStep?: (event: StepEvent) => void;
}

/** A job that this process has, and the place that it takes until `leave`. */
interface Claim {
  readonly job: JobRow;
  readonly leave: () => void;
}

const IDLE_MS_MAX = 5_000;
/** Jobs taken by one commit. */
const CLAIMS_MAX = 32;

/**
 * Claims due jobs by short leases and runs one step of each, several side by side in each lane. The lease is renewed
 * while a step runs; a step whose lease was lost (its process was paused, another took over) is aborted and records
 * nothing. A job whose step ended two processes in a row gets its last try alone: the worker runs nothing else at the
 * same time.
 */
export class Worker implements AsyncDisposable {
  readonly #options: WorkerOptions;
  readonly #lanes: Lanes;
  readonly #stopping = new AbortController();
  /** With their jobs; after a lost lease one job may have two. */
  readonly #running = new Map<Promise<void>, string>();
  #started = false;
  /** The job whose last try this worker runs. */
  #lastTry: string | undefined;
  #timer: Timer | undefined;
  #claiming: Promise<void> | undefined;
  #again = false;

  constructor(options: WorkerOptions) {
    this.#options = options;
    this.#lanes = new Lanes(options.context.limits.stepsAtOnce);
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

  /** Whether a step of the job runs in this process. */
  isWorkingOn(jobId: string): boolean {
    return [...this.#running.values()].includes(jobId);
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
    const { db } = this.#options.context;
    const claims: Claim[] = [];
    try {
      // One commit for all who are taken now: waiting for the disk is most of what a claim costs.
      await db.transaction('rows', async (trx) => {
        // What an earlier run claimed was undone.
        for (const { leave } of claims.splice(0)) leave();
        await this.#claimAllDue(trx, claims);
      });
    } catch (error) {
      for (const { leave } of claims) leave();
      throw error;
    }
    for (const claim of claims) this.#begin(claim);
  }

  /** Adds the jobs whose turn it is and that there is room for to `claims`. */
  async #claimAllDue(trx: Trx, claims: Claim[]): Promise<void> {
    const { context } = this.#options;
    const { clock, ceilings, limits } = context;
    await joinLines(trx, clock.now(), limits.lostLeasesMax);
    if (await this.#isForLastTries(trx, claims)) return;
    while (claims.length < CLAIMS_MAX && !this.#stopping.signal.aborted) {
      const lines = await this.#lanes.openLines(trx, ceilings);
      if (lines.length === 0) break;
      if (!(await this.#claimFirst(trx, claims, lines))) break;
    }
    this.#again ||= claims.length === CLAIMS_MAX;
  }

  /**
   * Whether this worker must not claim other jobs, because a job waits for its last try or has started it. The last try
   * starts when all other steps have ended.
   */
  async #isForLastTries(trx: Trx, claims: Claim[]): Promise<boolean> {
    if (this.#lastTry !== undefined) return true;
    if (!(await isAnybodyIn(trx, LAST_TRY_LINE))) return false;
    return this.#running.size > 0 || this.#claimFirst(trx, claims, [LAST_TRY_LINE]);
  }

  async #claimFirst(trx: Trx, claims: Claim[], lines: readonly string[]): Promise<boolean> {
    const { context, owner } = this.#options;
    const { clock, limits } = context;
    const job = await claimFirst(trx, { nowMs: clock.now(), leaseMs: limits.leaseMs, owner, lines });
    if (job) claims.push({ job, leave: this.#takePlace(job) });
    return job !== undefined;
  }

  #takePlace(job: JobRow): () => void {
    const { ceilings } = this.#options.context;
    const leaveLane = this.#lanes.take(job);
    const isLastTry = job.lost_leases === this.#options.context.limits.lostLeasesMax - 1;
    if (isLastTry) this.#lastTry = job.id;
    const leave = (): void => {
      leaveLane();
      if (isLastTry) this.#lastTry = undefined;
    };
    if (job.stage !== 'submitting') return leave;
    const capability = capabilityOf(job);
    ceilings.enter(capability, job.id);
    return () => {
      leave();
      ceilings.left(capability, job.id);
    };
  }

  #begin({ job, leave }: Claim): void {
    const run = withinUse(job.interaction_id, () => this.#runClaimed(job)).finally(() => {
      leave();
      this.#running.delete(run);
      this.nudge();
    });
    this.#running.set(run, job.id);
  }

  async #sleepUntilDue(): Promise<void> {
    const { context } = this.#options;
    const dueAtMs = await nextDueAtMs(context.db.kysely);
    // Who is in line and was not taken waits for a place: the end of a step wakes the worker too.
    this.#wakeIn(Math.min(IDLE_MS_MAX, Math.max(0, (dueAtMs ?? Infinity) - context.clock.now())));
  }

  #wakeIn(delayMs: number): void {
    this.#timer?.cancel();
    if (this.#stopping.signal.aborted) return;
    this.#timer = this.#options.context.clock.after(delayMs, () => this.nudge());
  }

  /** Never rejects: what goes wrong is logged, and the lease runs out or the step is due again. */
  async #runClaimed(job: JobRow): Promise<void> {
    const { context, onStep } = this.#options;
    const tell = (event: Pick<StepEvent, 'moment' | 'isDone'>): void =>
      onStep?.({ jobId: job.id, stage: job.stage, ...event });
    try {
      const result = await this.#resultOf(job, tell);
      const recorded = await recordResult(job, result, context);
      if (recorded) tell({ moment: 'recorded', isDone: result.kind === 'advance' });
      else context.log.warn({ jobId: job.id, stage: job.stage }, 'Lease lost, nothing recorded');
      if (result.kind === 'advance' && result.to === 'settled') {
        await context.typical.learn([capabilityOf(job)]);
        await context.quotes.learn(capabilityOf(job));
      }
    } catch (error) {
      context.log.error(
        { jobId: job.id, stage: job.stage, error },
        'Cannot record a step, it will be repeated',
      );
    }
  }

  async #resultOf(job: JobRow, tell: (event: Pick<StepEvent, 'moment'>) => void): Promise<StepResult> {
    const { context } = this.#options;
    if (job.lost_leases >= context.limits.lostLeasesMax) return giveUp(job, context, this.#stopping.signal);
    tell({ moment: 'starting' });
    const result = await runStep(job, context, this.#stopping.signal);
    tell({ moment: 'effected' });
    return result;
  }
}
