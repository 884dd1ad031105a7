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
import type { JobLimits } from '../job-limits.ts';
import type { Ceilings } from '../prices/ceilings.ts';
import type { Quotes } from '../prices/quote.ts';
import type { TypicalTimes } from '../prices/typical-times.ts';
import { Lanes } from './lanes.ts';
import { type RunStepTools, giveUp, recordResult, runStep } from './run-step.ts';
import { capabilityOf } from '../steps/capability-of.ts';
import type { StepResult } from '../steps/step.ts';

/**
 * An event for observers of a step: it starts (`starting`), its work is done (`effected`), or its result is recorded
 * (`recorded`).
 */
export interface StepEvent {
  readonly jobId: string;
  readonly stage: string;
  readonly moment: 'starting' | 'effected' | 'recorded';
  /** Only present in `recorded` events: whether the stage is done. If not, its step runs again later. */
  readonly isDone?: boolean;
}

/** The tools of the worker itself and of all steps. */
type WorkerTools = RunStepTools & {
  readonly ceilings: Ceilings;
  readonly typical: Pick<TypicalTimes, 'learn'>;
  readonly quotes: Pick<Quotes, 'learn'>;
  readonly limits: Pick<JobLimits, 'stepsAtOnce' | 'lostLeasesMax'>;
};

interface WorkerOptions {
  /** Distinguishes this process from the others that share the database. */
  readonly owner: string;
  readonly tools: WorkerTools;
  readonly onStep?: (event: StepEvent) => void;
}

/** A job that this process has claimed. It occupies a place in its lane until `leave` is called. */
interface Claim {
  readonly job: JobRow;
  readonly leave: () => void;
}

const IDLE_MS_MAX = 5_000;
/** The maximum number of jobs that are claimed in one commit. */
const CLAIMS_MAX = 32;

/**
 * Claims due jobs with short leases and runs one step of each job. Several steps run at the same time in each lane. The
 * lease is renewed while a step is running. If this process was paused and another process has taken over the job, the
 * step is aborted and records nothing. If a step has crashed two processes in a row, the worker runs nothing else
 * during the step's last attempt.
 */
export class Worker implements AsyncDisposable {
  readonly #options: WorkerOptions;
  readonly #lanes: Lanes;
  readonly #stopping = new AbortController();
  /** The running steps with the ids of their jobs. After a lease was lost, one job may have two running steps. */
  readonly #running = new Map<Promise<void>, string>();
  #started = false;
  /** The job for which this worker is running the last attempt. */
  #lastTry: string | undefined;
  #timer: Timer | undefined;
  #claiming: Promise<void> | undefined;
  #again = false;

  constructor(options: WorkerOptions) {
    this.#options = options;
    this.#lanes = new Lanes(options.tools.limits.stepsAtOnce);
  }

  /** Starts claiming jobs. */
  start(): void {
    this.#started = true;
    this.nudge();
  }

  /** Looks for due work now instead of at the next planned time. Does nothing before `start`. */
  nudge(): void {
    if (!this.#started || this.#stopping.signal.aborted) return;
    this.#again = true;
    this.#claiming ??= this.#claimAll().finally(() => {
      this.#claiming = undefined;
      if (this.#again) this.nudge();
    });
  }

  /** Returns whether a step of the job is running in this process. */
  isWorkingOn(jobId: string): boolean {
    return [...this.#running.values()].includes(jobId);
  }

  /** Stops claiming, aborts running steps (they will be repeated), and waits until they have ended. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping.abort(new Error('The worker stops'));
    this.#timer?.cancel();
    await this.#claiming;
    await Promise.all(this.#running.keys());
  }

  async #claimAll(): Promise<void> {
    const { log } = this.#options.tools;
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
    const { db } = this.#options.tools;
    const claims: Claim[] = [];
    try {
      // All claims share one commit, because most of a claim's time is spent waiting for the disk.
      await db.transaction('rows', async (trx) => {
        // If this transaction has run before, that run and its claims were rolled back.
        for (const { leave } of claims.splice(0)) leave();
        await this.#claimAllDue(trx, claims);
      });
    } catch (error) {
      for (const { leave } of claims) leave();
      throw error;
    }
    for (const claim of claims) this.#launch(claim);
  }

  /** Adds to `claims` the jobs whose turn it is and for which there is room. */
  async #claimAllDue(trx: Trx, claims: Claim[]): Promise<void> {
    const { tools } = this.#options;
    const { clock, ceilings, limits } = tools;
    await joinLines(trx, clock.now(), limits.lostLeasesMax);
    if (await this.#isForLastTries(trx, claims)) return;
    while (claims.length < CLAIMS_MAX && !this.#stopping.signal.aborted) {
      const open = await this.#lanes.openLines(trx, ceilings);
      if (open.lines.length === 0) break;
      if (!(await this.#claimFirst(trx, claims, open))) break;
    }
    this.#again ||= claims.length === CLAIMS_MAX;
  }

  /**
   * Returns whether this worker must not claim other jobs, because a job is waiting for its last attempt or has begun
   * it. The last attempt starts when all other steps have ended.
   */
  async #isForLastTries(trx: Trx, claims: Claim[]): Promise<boolean> {
    if (this.#lastTry !== undefined) return true;
    if (!(await isAnybodyIn(trx, LAST_TRY_LINE))) return false;
    return this.#running.size > 0 || this.#claimFirst(trx, claims, { lines: [LAST_TRY_LINE] });
  }

  async #claimFirst(
    trx: Trx,
    claims: Claim[],
    open: Pick<Parameters<typeof claimFirst>[1], 'lines' | 'passedOver'>,
  ): Promise<boolean> {
    const { tools, owner } = this.#options;
    const { clock, limits } = tools;
    const job = await claimFirst(trx, { nowMs: clock.now(), leaseMs: limits.leaseMs, owner, ...open });
    if (job) claims.push({ job, leave: this.#takePlace(job) });
    return job !== undefined;
  }

  #takePlace(job: JobRow): () => void {
    const { ceilings } = this.#options.tools;
    const leaveLane = this.#lanes.take(job);
    const isLastTry = job.lost_leases === this.#options.tools.limits.lostLeasesMax - 1;
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

  #launch({ job, leave }: Claim): void {
    const run = withinUse(job.interaction_id, () => this.#runClaimed(job)).finally(() => {
      leave();
      this.#running.delete(run);
      this.nudge();
    });
    this.#running.set(run, job.id);
  }

  async #sleepUntilDue(): Promise<void> {
    const { tools } = this.#options;
    const dueAtMs = await nextDueAtMs(tools.db.kysely);
    // A job that stays in line is waiting for a place, and the worker wakes anyway when a step ends and frees one.
    // Therefore only the due times of jobs that are not in line matter here.
    this.#wakeIn(Math.min(IDLE_MS_MAX, Math.max(0, (dueAtMs ?? Infinity) - tools.clock.now())));
  }

  #wakeIn(delayMs: number): void {
    this.#timer?.cancel();
    if (this.#stopping.signal.aborted) return;
    this.#timer = this.#options.tools.clock.after(delayMs, () => this.nudge());
  }

  /**
   * Runs the step of a claimed job. Never rejects: an error is logged, and the step runs again when its lease has run
   * out.
   */
  async #runClaimed(job: JobRow): Promise<void> {
    const { tools, onStep } = this.#options;
    const notify = (event: Pick<StepEvent, 'moment' | 'isDone'>): void =>
      onStep?.({ jobId: job.id, stage: job.stage, ...event });
    try {
      const result = await this.#resultOf(job, notify);
      const recorded = await recordResult(job, result, tools);
      if (recorded) notify({ moment: 'recorded', isDone: result.kind === 'advance' });
      else
        tools.log.warn(
          { jobId: job.id, stage: job.stage },
          'A lease was lost, so the result of the step was not recorded',
        );
      if (result.kind === 'advance' && result.to === 'settled') {
        await tools.typical.learn([capabilityOf(job)]);
        await tools.quotes.learn(capabilityOf(job));
      }
    } catch (error) {
      tools.log.error(
        { jobId: job.id, stage: job.stage, error },
        'Cannot record a step, it will be repeated',
      );
    }
  }

  async #resultOf(job: JobRow, notify: (event: Pick<StepEvent, 'moment'>) => void): Promise<StepResult> {
    const { tools } = this.#options;
    if (job.lost_leases >= tools.limits.lostLeasesMax) return giveUp(job, tools);
    notify({ moment: 'starting' });
    const result = await runStep(job, tools, this.#stopping.signal);
    notify({ moment: 'effected' });
    return result;
  }
}
