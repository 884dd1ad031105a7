import type { Database } from '../../db/database.ts';
import { typicalDurationMs } from '../../db/queries/jobs.ts';
import { CAPABILITIES, type Capability } from '../media-api/wire.ts';

/** How long a job of each capability usually takes, from command to result; learned from earlier jobs. */
export class TypicalTimes {
  readonly #db: Database;
  readonly #medians = new Map<Capability, number>();

  constructor(db: Database) {
    this.#db = db;
  }

  /** Median milliseconds, or null before the first result. */
  of(capability: Capability): number | null {
    return this.#medians.get(capability) ?? null;
  }

  /** Reads the medians again, of one capability or of all. */
  async learn(capabilities: readonly Capability[] = CAPABILITIES): Promise<void> {
    for (const capability of capabilities) {
      const median = await typicalDurationMs(this.#db.kysely, capability);
      if (median !== null) this.#medians.set(capability, median);
    }
  }
}
