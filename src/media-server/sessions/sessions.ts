import type { WebSocket } from 'ws';
import type { Clock, Timer } from '../../base/clock.ts';
import type { Logger } from '../../base/log.ts';
import { toUsdNumber } from '../../base/money.ts';
import type { WireVoiceSession } from '../../media-api/wire.ts';
import type { Billing } from '../billing/billing.ts';
import type { Metrics } from '../metrics/metrics.ts';
import type { Database } from '../store/database.ts';
import {
  type NewSession,
  type SessionEnd,
  connectSession,
  findSession,
  listOpenSessions,
  markSessionReady,
  recordStreamed,
  removeOpeningSessions,
} from '../store/sessions.ts';
import { ApiError } from '../wire/api-error.ts';
import type { ServerFaults } from '../server-faults.ts';
import { Connection } from './connection.ts';
import type { FrameLimits, Place } from './place.ts';
import { Places } from './places.ts';
import { SessionEnds } from './session-ends.ts';
import { reserveSession } from './reserve-session.ts';
import type { SessionKind, SessionRequest } from './session-kind.ts';
import { isToken, newToken } from './session-token.ts';

const TICK_MS = 1_000;

interface SessionsOptions {
  readonly db: Database;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly billing: Billing;
  readonly metrics: Metrics;
  readonly faults: Pick<ServerFaults, 'isOutOfCapacity'>;
  /** How long a session waits for its client to connect. */
  readonly sessionConnectMs: number;
  /** The API's public base URL, which is only known once the server is listening. */
  readonly baseUrl: () => string;
}

/** A session that is waiting for its client. */
interface Waiting {
  readonly place: Place;
  readonly grantedMs: number;
  readonly expiry: Timer;
}

/** A session whose token was accepted. Connecting uses the token up. */
export interface Admission {
  readonly limits: FrameLimits;
  connect(socket: WebSocket): void;
}

/**
 * The life of live and voice sessions. Opening reserves a block of the balance and takes a place in the engine;
 * connecting uses the token up; the end, for any reason, settles the session once and releases the block and the place.
 * The streamed time is stored every second: after a crash, the next start settles each session at the stored time.
 */
export class Sessions implements AsyncDisposable {
  readonly #options: SessionsOptions;
  readonly #places: Places;
  readonly #ends: SessionEnds;
  readonly #opening = new Set<Promise<unknown>>();
  readonly #waiting = new Map<string, Waiting>();
  readonly #connected = new Map<string, Connection>();
  readonly #stop = new AbortController();
  #timer: Timer | undefined;

  constructor(options: SessionsOptions) {
    this.#options = options;
    this.#places = new Places(options.clock, options.logger);
    this.#ends = new SessionEnds(options);
  }

  /** Settles sessions that an earlier run left open, at their stored streamed times. */
  recover(): void {
    const { db, billing } = this.#options;
    db.transact(() => {
      removeOpeningSessions(db);
      for (const { id, streamedMs } of listOpenSessions(db)) {
        const reason = streamedMs === null ? 'no_stream' : 'cancelled';
        billing.settleSession(id, { state: 'succeeded', reason, streamedMs });
      }
    });
  }

  /**
   * Opens a session, which then has a place in the engine and can carry frames. This debits nothing. Throws `ApiError`.
   */
  async open(accountId: string, kind: SessionKind, request: SessionRequest): Promise<WireVoiceSession> {
    this.#stop.signal.throwIfAborted();
    const session = reserveSession(this.#options, kind, { accountId, seconds: request.seconds });
    const opening = this.#fill(session, request);
    this.#opening.add(opening);
    try {
      return await opening;
    } finally {
      this.#opening.delete(opening);
    }
  }

  /**
   * Throws `unauthorized`, always with the same body, unless the token belongs to a session that is waiting for its
   * client.
   */
  admit(sessionId: string, token: string): Admission {
    const waiting = this.#waiting.get(sessionId);
    const hash = findSession(this.#options.db, sessionId)?.tokenHash;
    if (!waiting || !hash || !isToken(token, hash)) {
      throw new ApiError('unauthorized', 'A valid session token is required');
    }
    return {
      limits: waiting.place.limits,
      connect: (socket) => this.#connect(sessionId, waiting, socket),
    };
  }

  /** Ends all sessions, settles them and releases their places. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort(new ApiError('capacity_unavailable', 'The server is stopping'));
    await Promise.allSettled(this.#opening);
    for (const id of this.#waiting.keys()) this.#expire(id);
    await Promise.all([...this.#connected.values()].map((connection) => connection.stop()));
    this.#ends.tryAgain();
    this.#timer?.cancel();
    await this.#places[Symbol.asyncDispose]();
  }

  async #fill(session: NewSession, request: SessionRequest): Promise<WireVoiceSession> {
    const { id, seconds, block } = session;
    const place = await this.#placeFor(id, request);
    const token = newToken();
    this.#keepWaiting(session, place, token.hash);
    return {
      session_id: id,
      stream_url: `${this.#options.baseUrl().replace(/^http/, 'ws')}/stream/${id}`,
      session_token: token.text,
      ...request.answer,
      max_duration_sec: seconds,
      max_cost_usd: toUsdNumber(block),
    };
  }

  async #placeFor(id: string, request: SessionRequest): Promise<Place> {
    try {
      return await this.#places.take(request, this.#stop.signal);
    } catch (error) {
      this.#ends.discard(id);
      this.#keepTicking();
      throw error;
    }
  }

  #keepWaiting({ id, seconds }: NewSession, place: Place, tokenHash: Uint8Array): void {
    const { db, clock, sessionConnectMs } = this.#options;
    const expiry = clock.after(sessionConnectMs, () => this.#expire(id), { background: true });
    this.#waiting.set(id, { place, grantedMs: seconds * 1000, expiry });
    try {
      markSessionReady(db, id, tokenHash);
    } catch (error) {
      this.#expire(id);
      throw error;
    }
  }

  #connect(id: string, waiting: Waiting, socket: WebSocket): void {
    const { db, clock, logger } = this.#options;
    if (!connectSession(db, id)) throw new TypeError('Cannot connect: the session does not wait');
    waiting.expiry.cancel();
    this.#waiting.delete(id);
    const { place, grantedMs } = waiting;
    const onEnd = (end: SessionEnd): void => {
      this.#connected.delete(id);
      this.#settle(id, end);
      this.#places.giveBack(place);
    };
    const connection = new Connection(socket, { clock, logger, sessionId: id, place, grantedMs, onEnd });
    this.#connected.set(id, connection);
    this.#keepTicking();
  }

  /** Ends a session to which no client has connected. */
  #expire(id: string): void {
    const waiting = this.#waiting.get(id);
    if (!waiting) return;
    waiting.expiry.cancel();
    this.#waiting.delete(id);
    this.#settle(id, { state: 'succeeded', reason: 'no_stream', streamedMs: null });
    this.#places.giveBack(waiting.place);
  }

  #settle(id: string, end: SessionEnd): void {
    this.#ends.settle(id, end);
    this.#keepTicking();
  }

  /** Schedules the next tick if there are connections, or session ends that could not be recorded yet. */
  #keepTicking(): void {
    if (this.#connected.size === 0 && !this.#ends.hasPending) return;
    this.#timer ??= this.#options.clock.after(TICK_MS, () => this.#tick(), { background: true });
  }

  #tick(): void {
    this.#timer = undefined;
    this.#ends.tryAgain();
    for (const connection of this.#connected.values()) connection.tick();
    this.#noteStreamed();
    this.#keepTicking();
  }

  #noteStreamed(): void {
    const { db, logger } = this.#options;
    try {
      db.transact(() => {
        for (const [id, { streamedMs }] of this.#connected) {
          if (streamedMs !== null) recordStreamed(db, id, streamedMs);
        }
      });
    } catch (error) {
      logger.error({ error }, 'Cannot record the streamed time of sessions');
    }
  }
}
