import type { Logger } from '../../base/log.ts';
import type { Billing } from '../billing/billing.ts';
import type { Metrics } from '../metrics/metrics.ts';
import type { Database } from '../store/database.ts';
import { type SessionEnd, removeOpeningSession } from '../store/sessions.ts';

interface SessionEndsOptions {
  readonly db: Database;
  readonly logger: Logger;
  readonly billing: Billing;
  readonly metrics: Metrics;
}

/** Records how sessions end. If the database fails, the record is kept, and storing it is tried again later. */
export class SessionEnds {
  readonly #options: SessionEndsOptions;
  readonly #pending = new Map<string, () => void>();

  constructor(options: SessionEndsOptions) {
    this.#options = options;
  }

  /** Whether there are records that could not be stored yet. */
  get hasPending(): boolean {
    return this.#pending.size > 0;
  }

  /** Settles a session once. */
  settle(id: string, end: SessionEnd): void {
    const { billing, metrics } = this.#options;
    this.#record(id, () => {
      if (billing.settleSession(id, end)) metrics.countSession(id);
    });
  }

  /** Deletes a session that never got its place, as if it had not been requested. */
  discard(id: string): void {
    this.#record(id, () => removeOpeningSession(this.#options.db, id));
  }

  tryAgain(): void {
    for (const [id, record] of this.#pending) this.#record(id, record);
  }

  #record(id: string, record: () => void): void {
    try {
      record();
      this.#pending.delete(id);
    } catch (error) {
      this.#options.logger.error({ error, sessionId: id }, 'Cannot settle a session');
      this.#pending.set(id, record);
    }
  }
}
