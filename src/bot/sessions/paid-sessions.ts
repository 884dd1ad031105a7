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
import { SESSION_LIMITS, type SessionLimits } from './session-limits.ts';
import { SessionOpener } from './session-opener.ts';
import { SessionBooks, grantedOf } from './session-books.ts';
import { Settler } from './settler.ts';
import { PaidVoiceLines } from './paid-voice-lines.ts';
import type { SessionQuotes } from './session-quotes.ts';
import type { VoiceLines } from './voice-lines.ts';

interface PaidSessionsOptions {
  readonly db: Database;
  readonly ledger: Ledger;
  readonly api: Pick<MediaApi, 'account' | 'sessions'>;
  readonly quotes: SessionQuotes;
  readonly clock: Clock;
  readonly log: Logger;
  readonly spending?: SpendingGate | undefined;
  readonly limits?: Partial<SessionLimits> | undefined;
  /** Called if the usage log does not list an ended session under its id, so that its charge cannot be found by id. */
  readonly onUnnamed?: (() => void) | undefined;
}

interface SessionCost {
  /** The charge in the service's record; null until it is known. */
  readonly charged: MicroUsd | null;
  /** The cost according to this process's meter. */
  readonly estimate: MicroUsd;
}

/** Runs paid sessions at the service, from the request to the charge. Disposing of it closes every socket. */
export class PaidSessions implements AsyncDisposable {
  readonly voice: VoiceLines;
  readonly opener: SessionOpener;
  readonly #db: Database;
  readonly #heartbeat: Heartbeat;
  readonly #settler: Settler;
  readonly #owned = new Disposer();

  constructor(options: PaidSessionsOptions) {
    const { db, ledger, api, quotes, clock, log, spending, onUnnamed } = options;
    const limits = { ...SESSION_LIMITS, ...options.limits };
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
        running: () => this.opener.running,
        onTakenOver: nudge,
      }),
    );
    // The opener is created last and therefore disposed of first: the settler and the heartbeat must work until every
    // session is over.
    this.opener = this.#owned.use(new SessionOpener({ books, clock, log, limits, spending, onEnded: nudge }));
    this.voice = new PaidVoiceLines({ sessions: this.opener, api, clock, limits });
  }

  /** Starts to settle ended sessions, and to end the sessions of processes that have died. */
  start(): void {
    this.#heartbeat.start();
    this.#settler.start();
  }

  /** Returns the cost of a session, or `undefined` if the session does not exist or was never opened. */
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
