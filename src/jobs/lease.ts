import type { Timer } from '../base/clock.ts';
import { LinkedSignal } from '../base/linked-signal.ts';
import { renewLease } from '../../db/queries/jobs.ts';
import type { JobRow } from '../../db/schema.ts';
import type { StepContext } from './step.ts';

/** A claimed job's lease, renewed until it is disposed. */
export interface Lease extends Disposable {
  /** Aborts when the lease was lost (another process took the job), and when `stopping` does. */
  readonly signal: AbortSignal;
}

/** Keeps `job` for this process as long as it works on it. */
export function keepLease(job: JobRow, context: StepContext, stopping: AbortSignal): Lease {
  const { clock, db, limits, log } = context;
  const linked = new LinkedSignal(stopping);
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
  return {
    signal: linked.signal,
    [Symbol.dispose]() {
      timer.cancel();
      linked[Symbol.dispose]();
    },
  };
}
