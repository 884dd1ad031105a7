import type { Database } from '../../../db/database.ts';
import { type MeteredSession, listLostSessions, renewSessions } from '../../../db/queries/sessions.ts';
import type { Clock, Timer } from '../../base/clock.ts';
import type { Logger } from '../../base/log.ts';
import type { SessionBooks } from './session-books.ts';

interface HeartbeatOptions {
  readonly db: Database;
  readonly books: SessionBooks;
  readonly clock: Clock;
  readonly log: Logger;
  readonly beatMs: number;
  readonly leaseMs: number;
  /** The sessions of this process. */
  readonly running: () => readonly MeteredSession[];
  /** Called after this process has ended the sessions of a process that died. */
  readonly onTakenOver: () => void;
}

const LOST_AT_ONCE = 100;

/** Renews this process's lease on its sessions, and ends sessions of other processes whose leases have expired. */
export class Heartbeat implements AsyncDisposable {
  readonly #options: HeartbeatOptions;
  #timer: Timer | undefined;
  #beating: Promise<void> = Promise.resolve();
  #isOver = false;

  constructor(options: HeartbeatOptions) {
    this.#options = options;
  }

  start(): void {
    this.#beating = this.#beat();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isOver = true;
    this.#timer?.cancel();
    await this.#beating;
  }

  async #beat(): Promise<void> {
    const { clock, beatMs, log } = this.#options;
    try {
      await this.#renew();
      await this.#takeOver();
    } catch (error) {
      log.warn({ error }, 'Cannot renew the lease on paid sessions, or end those of other processes');
    }
    if (this.#isOver) return;
    this.#timer = clock.after(beatMs, () => this.start(), { background: true });
  }

  async #renew(): Promise<void> {
    const { db, clock, leaseMs, running } = this.#options;
    const sessions = running();
    if (sessions.length === 0) return;
    const untilMs = clock.now() + leaseMs;
    await db.transaction('rows', (trx) => renewSessions(trx, sessions, untilMs));
  }

  async #takeOver(): Promise<void> {
    const { db, books, clock, log, running, onTakenOver } = this.#options;
    const own = new Set(running().map(({ id }) => id));
    const lost = await listLostSessions(db.kysely, clock.now(), LOST_AT_ONCE);
    let taken = 0;
    for (const session of lost) if (!own.has(session.id) && (await books.crashed(session))) taken += 1;
    if (taken === 0) return;
    log.warn({ sessions: taken }, 'Ended paid sessions of a process that died');
    onTakenOver();
  }
}
