import type { Clock, Timer } from '../../../base/clock.ts';
import { LinkedSignal } from '../../../base/linked-signal.ts';
import { renewLease } from '../../../../db/queries/jobs.ts';
import type { JobRow } from '../../../../db/schema/jobs.ts';
import type { Database } from '../../../../db/database.ts';
import type { Logger } from '../../../base/log.ts';
import type { JobLimits } from '../job-limits.ts';

export interface KeepLeaseTools {
  readonly db: Database;
  readonly limits: Pick<JobLimits, 'leaseMs'>;
  readonly clock: Clock;
  readonly log: Logger;
}

/** The lease on a claimed job. It is renewed until it is disposed. */
interface Lease extends Disposable {
  /** Aborts when the lease is lost (another process took the job), and when `stopping` aborts. */
  readonly signal: AbortSignal;
  /**
   * Returns false as soon as another process may have the job. If this process was paused, `isHeld` may return false
   * before the signal aborts.
   */
  readonly isHeld: () => boolean;
}

/** Renews the lease of `job` while this process is working on it. */
export function keepLease(
  job: JobRow,
  { clock, db, limits, log }: KeepLeaseTools,
  stopping: AbortSignal,
): Lease {
  const linked = new LinkedSignal(stopping);
  let timer: Timer;
  let untilMs = job.lease_until_ms ?? 0;
  const renew = (): void => {
    timer = clock.after(limits.leaseMs / 3, renew, { background: true });
    const nowMs = clock.now();
    renewLease(db.kysely, job, { nowMs, leaseMs: limits.leaseMs }).then(
      (kept) => {
        if (kept) untilMs = nowMs + limits.leaseMs;
        else linked.abort(new Error('The lease was lost'));
      },
      (error: unknown) => log.warn({ jobId: job.id, error }, 'Cannot renew a lease'),
    );
  };
  timer = clock.after(limits.leaseMs / 3, renew, { background: true });
  return {
    signal: linked.signal,
    isHeld: () => !linked.signal.aborted && clock.now() < untilMs,
    [Symbol.dispose]() {
      timer.cancel();
      linked[Symbol.dispose]();
    },
  };
}
