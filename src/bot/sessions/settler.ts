import type { Database } from '../../../db/database.ts';
import { listDueSessions, postponeSession } from '../../../db/queries/sessions.ts';
import type { SessionRow } from '../../../db/schema/sessions.ts';
import type { Clock, Timer } from '../../base/clock.ts';
import type { Logger } from '../../base/log.ts';
import { ZERO } from '../../base/money.ts';
import { type UsageRecord, isEnded } from '../../media-api/account.ts';
import type { MediaApi } from '../../media-api/media-api.ts';
import { mostOfSession } from '../../media-api/time-price.ts';
import { UsageReader } from '../../media-api/usage-reader.ts';
import { ENDPOINT, type SessionCapability } from '../../media-api/wire.ts';
import type { SessionLimits } from './session-limits.ts';
import { type SessionBooks, grantedOf } from './session-books.ts';
import type { EndReason } from './end-reason.ts';

interface SettlerOptions {
  readonly db: Database;
  readonly books: SessionBooks;
  readonly api: Pick<MediaApi, 'account'>;
  readonly clock: Clock;
  readonly log: Logger;
  readonly limits: SessionLimits;
  /** Called if the usage log does not list a session under its id, so that its charge must be found in another way. */
  readonly onUnnamed?: (() => void) | undefined;
}

const AT_ONCE = 200;
/** The largest expected difference between the service's clock and the bot's. */
const SKEW_MS = 300_000;
const LOOK_MS_MAX = 1_800_000;

/**
 * Settles ended sessions with the charges in the service's usage log if the log lists them under their ids. All other
 * sessions are left to reconciliation, which also compares capability, time and price.
 */
export class Settler implements AsyncDisposable {
  readonly #options: SettlerOptions;
  readonly #stopping = new AbortController();
  #reader: UsageReader;
  #timer: Timer | undefined;
  #lookedAt = -Infinity;
  #running: Promise<void> | undefined;

  constructor(options: SettlerOptions) {
    this.#options = options;
    this.#reader = new UsageReader(options.api.account);
  }

  /** Looks for charges now, and then at intervals. */
  start(): void {
    this.#schedule(0);
  }

  /**
   * Schedules the next look for the earliest time at which the charge of a session that has just ended can be known.
   */
  nudge(): void {
    const { clock, limits } = this.#options;
    const restMs = this.#lookedAt + limits.lookMs - clock.monotonic();
    this.#schedule(Math.max(limits.firstLookMs, restMs));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping.abort(new Error('The settler stops'));
    this.#timer?.cancel();
    await this.#running;
  }

  #schedule(delayMs: number): void {
    if (this.#stopping.signal.aborted || this.#running) return;
    this.#timer?.cancel();
    this.#timer = this.#options.clock.after(delayMs, () => this.#run(), { background: true });
  }

  #run(): void {
    const { log, limits } = this.#options;
    this.#running ??= this.#look()
      .catch((error: unknown) => {
        if (this.#stopping.signal.aborted) return;
        log.warn({ error }, 'Cannot read the charges of paid sessions, will try again');
      })
      .finally(() => {
        this.#running = undefined;
        this.#schedule(limits.lookMs);
      });
  }

  async #look(): Promise<void> {
    const { db, clock } = this.#options;
    const due = await listDueSessions(db.kysely, clock.now(), AT_ONCE);
    const mine: SessionRow[] = [];
    for (const session of due) {
      const nextMs = clock.now() + this.#pauseOf(session);
      if (await postponeSession(db.kysely, session, nextMs)) mine.push(session);
    }
    if (mine.length === 0) return;
    this.#lookedAt = clock.monotonic();
    const readAtMs = clock.now();
    const fromMs = Math.min(...mine.map((session) => session.opened_at_ms)) - SKEW_MS;
    const options = { signal: this.#stopping.signal, priority: 'reconcile' } as const;
    const { records } = await this.#reader.collect({ fromMs, toMs: readAtMs + SKEW_MS }, options);
    const byId = new Map(records.map((record) => [record.id, record]));
    let unnamed = 0;
    for (const session of mine) {
      const record = byId.get(session.service_session_id ?? '');
      await this.#settle(session, record, readAtMs);
      // At the first look, the record may merely be late.
      if (!record && session.looks > 0) unnamed += 1;
    }
    if (unnamed > 0) this.#options.onUnnamed?.();
  }

  /** The milliseconds until the next look, which double with each look up to a limit. */
  #pauseOf({ looks }: SessionRow): number {
    return Math.min(LOOK_MS_MAX, this.#options.limits.lookMs * 2 ** Math.min(looks, 20));
  }

  async #settle(session: SessionRow, record: UsageRecord | undefined, readAtMs: number): Promise<void> {
    const { books, limits, log } = this.#options;
    if (record && isOf(record, session) && isEnded(record)) {
      const { charged, reason } = record;
      await books.charged(session, { charged, reason, asOfMs: readAtMs });
      log.info({ sessionId: session.id, chargedMicros: charged, reason }, 'A paid session was settled');
      return;
    }
    if (readAtMs - (session.ended_at_ms ?? readAtMs) < limits.recordMsMax) return;
    // A session that converted nothing is never charged, and the service may keep no record of it.
    if (session.metered_ms === 0 && session.end_reason !== ('crashed' satisfies EndReason)) {
      await books.charged(session, { charged: ZERO, reason: null, asOfMs: readAtMs });
      return;
    }
    await books.review(session);
    log.warn({ sessionId: session.id }, 'The charge of a paid session was not found: set aside for review');
  }
}

/**
 * Returns whether a record with the session's id can belong to the session: its capability and time match, and its
 * charge is not above the session's maximum cost.
 */
function isOf(record: UsageRecord, session: SessionRow): boolean {
  const { feature, endpoint, createdAtMs, charged } = record;
  const { capability, opened_at_ms: openedAtMs, ended_at_ms: endedAtMs } = session;
  const isKind = feature === capability || endpoint === ENDPOINT[capability as SessionCapability];
  const isInTime = createdAtMs >= openedAtMs - SKEW_MS && createdAtMs <= (endedAtMs ?? openedAtMs) + SKEW_MS;
  const granted = grantedOf(session);
  return isKind && isInTime && (granted === undefined || charged <= mostOfSession(granted));
}
