import type { Database } from '../../../db/database.ts';
import { findSession } from '../../../db/queries/sessions.ts';
import type { Clock } from '../../base/clock.ts';
import { Disposer } from '../../base/disposer.ts';
import { randomId } from '../../base/ids.ts';
import type { Logger } from '../../base/log.ts';
import type { MicroUsd } from '../../base/money.ts';
import type { Ledger } from '../money/ledger/ledger.ts';
import type { SpendingGate } from '../money/ledger/spending-gate.ts';
import type { MediaApi } from '../../media-api/media-api.ts';
import { costOfTime } from '../../media-api/time-price.ts';
import { Heartbeat } from './heartbeat.ts';
import { LIVE_LIMITS, type LiveLimits } from './live-limits.ts';
import { PaidSessions } from './paid-sessions.ts';
import { SessionBooks, grantedOf } from './session-books.ts';
import { Settler } from './settler.ts';
import { PaidVoiceLines, type VoiceLines } from './voice-lines.ts';
import type { SessionQuotes } from './session-quotes.ts';

export interface LiveOptions {
  readonly db: Database;
  readonly ledger: Ledger;
  readonly api: Pick<MediaApi, 'account' | 'sessions'>;
  readonly quotes: SessionQuotes;
  readonly clock: Clock;
  readonly log: Logger;
  readonly spending?: SpendingGate | undefined;
  readonly limits?: Partial<LiveLimits> | undefined;
  /** Called when a session has ended whose charge cannot be found by its ids in the usage log. */
  readonly onUnnamed?: (() => void) | undefined;
}

/** What a session has cost: by the service's record, or until that is known about. */
interface SessionCost {
  readonly charged: MicroUsd | null;
  /** By our own meter. */
  readonly estimate: MicroUsd;
}

/** Paid sessions at the service, from asking for one to its charge. Disposing closes every socket. */
export class Live implements AsyncDisposable {
  readonly voice: VoiceLines;
  readonly sessions: PaidSessions;
  readonly #db: Database;
  readonly #heartbeat: Heartbeat;
  readonly #settler: Settler;
  readonly #owned = new Disposer();

  constructor(options: LiveOptions) {
    const { db, ledger, api, quotes, clock, log, spending, onUnnamed } = options;
    const limits = { ...LIVE_LIMITS, ...options.limits };
    const owner = randomId('live');
    const books = new SessionBooks({ ...limits, db, ledger, quotes, clock, spending, owner });
    const nudge = (): void => this.#settler.nudge();
    this.#db = db;
    this.#settler = this.#owned.use(new Settler({ db, books, api, clock, log, limits, onUnnamed }));
    this.#heartbeat = this.#owned.use(
      new Heartbeat({
        ...limits,
        db,
        books,
        clock,
        log,
        running: () => this.sessions.running,
        onTakenOver: nudge,
      }),
    );
    // Disposed first: the others go on until every session is over.
    this.sessions = this.#owned.use(
      new PaidSessions({ books, clock, log, limits, spending, onEnded: nudge }),
    );
    this.voice = new PaidVoiceLines({ sessions: this.sessions, api, clock, limits });
  }

  /** Sees to the sessions of earlier and other processes, and to charges that are not known yet. */
  start(): void {
    this.#heartbeat.start();
    this.#settler.start();
  }

  /** Undefined: there is no such session, or it was never opened. */
  async costOf(id: string): Promise<SessionCost | undefined> {
    const session = await findSession(this.#db.kysely, id);
    const granted = session && grantedOf(session);
    if (!granted) return undefined;
    return { charged: session.charged_micros, estimate: costOfTime(granted, session.metered_ms) };
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#owned[Symbol.asyncDispose]();
  }
}
