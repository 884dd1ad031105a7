import type { Database } from '../../../../db/database.ts';
import { listDurations } from '../../../../db/queries/list-durations.ts';
import { CAPABILITIES, type Capability } from '../../../media-api/wire.ts';

/** The times within which the service finishes half of its jobs, and almost all of its jobs. */
export interface ServiceTimes {
  readonly p50Ms: number;
  readonly p95Ms: number;
}

interface Learned extends ServiceTimes {
  /**
   * The median time from the command until the job is settled, in milliseconds, not counting the wait for the price
   * confirmation.
   */
  readonly wholeMs: number;
}

/** The usual duration of the jobs of each capability, learned from the last jobs. */
export class TypicalTimes {
  readonly #db: Database;
  readonly #learned = new Map<Capability, Learned>();

  constructor(db: Database) {
    this.#db = db;
  }

  /**
   * Returns the median time from the command until the job is settled, in milliseconds; null before the first result.
   */
  of(capability: Capability): number | null {
    return this.#learned.get(capability)?.wholeMs ?? null;
  }

  /** Returns the times from a job's submission to its observed end; null before the first result. */
  atService(capability: Capability): ServiceTimes | null {
    return this.#learned.get(capability) ?? null;
  }

  /** Reads the last jobs of these capabilities again. Default: all capabilities. */
  async learn(capabilities: readonly Capability[] = CAPABILITIES): Promise<void> {
    for (const capability of capabilities) {
      const rows = await listDurations(this.#db.kysely, capability);
      if (rows.length === 0) continue;
      const serviceMs = rows.map((row) => row.serviceMs);
      this.#learned.set(capability, {
        wholeMs: quantile(
          rows.map((row) => row.wholeMs),
          0.5,
        ),
        p50Ms: quantile(serviceMs, 0.5),
        p95Ms: quantile(serviceMs, 0.95),
      });
    }
  }
}

/**
 * Returns the value at this fraction of the sorted values (the lower of the two nearest if the fraction lies between
 * two); 0 if there are no values.
 */
function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) * share)] ?? 0;
}
