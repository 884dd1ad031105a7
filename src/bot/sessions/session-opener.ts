import { type Clock, DeadlineError, withDeadline } from '../../base/clock.ts';
import { randomId } from '../../base/ids.ts';
import { LinkedSignal } from '../../base/linked-signal.ts';
import type { Logger } from '../../base/log.ts';
import type { MicroUsd } from '../../base/money.ts';
import type { MeteredSession } from '../../../db/queries/sessions.ts';
import type { SessionRow } from '../../../db/schema/sessions.ts';
import type { SpendingGate } from '../money/ledger/spending-gate.ts';
import { type MediaApiError, MediaApiRefusal, isMediaApiError } from '../../media-api/errors.ts';
import type { SessionTicket } from '../../media-api/session-ticket.ts';
import type { CallOptions } from '../../media-api/transport.ts';
import { SessionError } from './session-error.ts';
import type { SessionLimits } from './session-limits.ts';
import { PaidSession, type SessionListener } from './paid-session.ts';
import type { SessionBooks, SessionRequest } from './session-books.ts';
import type { EndReason } from './end-reason.ts';

interface SessionOpenerOptions {
  readonly books: SessionBooks;
  readonly clock: Clock;
  readonly log: Logger;
  readonly limits: SessionLimits;
  readonly spending?: SpendingGate | undefined;
  /** Called once the end of a session has been recorded, so that its charge can be searched for. */
  readonly onEnded: () => void;
}

/** A request to open a session. */
interface PaidRequest extends SessionRequest {
  /** Requests a session from the service; the opener then connects to it. */
  readonly ask: (options: CallOptions) => Promise<SessionTicket>;
}

const TRIES_TO_WRITE = 3;
/** The time available for recording how sessions ended when the program stops. */
const WRITE_MS_MAX = 4_000;

/**
 * Opens paid sessions. It sets aside the expected cost, requests the session, changes the hold to the maximum cost that
 * the service returns, and only then connects. Disposing of it closes all sessions.
 */
export class SessionOpener implements AsyncDisposable {
  readonly #options: SessionOpenerOptions;
  readonly #stopping = new AbortController();
  /**
   * The sessions by id, each from before its request until its end has been recorded. The value is `undefined` while
   * there is no socket.
   */
  readonly #sessions = new Map<string, PaidSession | undefined>();
  readonly #works = new Set<Promise<unknown>>();

  constructor(options: SessionOpenerOptions) {
    this.#options = options;
  }

  /** This process's sessions, whose leases must be renewed. */
  get running(): readonly MeteredSession[] {
    return Array.from(this.#sessions, ([id, session]) => ({ id, meteredMs: session?.meteredMs ?? 0 }));
  }

  /** Opens a session. Throws `SessionError`; in this case nothing is held and nothing will be charged. */
  async open(request: PaidRequest, listener: SessionListener, signal?: AbortSignal): Promise<PaidSession> {
    const { limits } = this.#options;
    if (this.#stopping.signal.aborted)
      throw new SessionError('unreachable', { cause: this.#stopping.signal.reason });
    if (this.#sessions.size >= limits.sessionsMax) throw new SessionError('no_capacity');
    const id = randomId('live');
    using linked = new LinkedSignal(this.#stopping.signal, signal);
    this.#sessions.set(id, undefined);
    const opening = this.#open(id, request, listener, linked.signal);
    try {
      return await this.#tracked(opening);
    } catch (error) {
      this.#sessions.delete(id);
      throw error;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping.abort(new Error('Paid sessions stop'));
    const { clock, log } = this.#options;
    // The sockets are closed first, because they cost money. If an end cannot be recorded in time, another process
    // records it later.
    const sockets = [...this.#sessions.values()].filter((session) => session !== undefined);
    await Promise.allSettled(sockets.map((session) => session.close('shutdown')));
    await withDeadline(clock, WRITE_MS_MAX, () => this.#written()).catch((error: unknown) => {
      log.warn({ error }, 'Cannot record in time how paid sessions ended');
    });
  }

  async #written(): Promise<void> {
    while (this.#works.size > 0) await Promise.allSettled(this.#works);
  }

  async #open(
    id: string,
    request: PaidRequest,
    listener: SessionListener,
    signal: AbortSignal,
  ): Promise<PaidSession> {
    const { books } = this.#options;
    const held = await books.reserve(id, request);
    let ticket: SessionTicket;
    try {
      ticket = await this.#ask(request, held, signal);
    } catch (error) {
      await books.notOpened(id, request.guildId);
      throw error;
    }
    const cover = await books.opened(id, request, ticket);
    const session = await this.#connect(
      { id, guild_id: request.guildId },
      { ticket, cover },
      listener,
      signal,
    );
    // If the session has already ended, it is no longer in the map or will soon be removed from it.
    if (this.#sessions.has(id)) this.#sessions.set(id, session);
    if (!signal.aborted) return session;
    await session.close('shutdown');
    throw new SessionError('unreachable', { cause: signal.reason });
  }

  async #connect(
    session: Written,
    { ticket, cover }: { readonly ticket: SessionTicket; readonly cover: MicroUsd },
    listener: SessionListener,
    signal: AbortSignal,
  ): Promise<PaidSession> {
    const { books, clock, log, limits } = this.#options;
    const onEnded = (end: Ended): void => void this.#tracked(this.#writeEnd(session, end));
    const options = { id: session.id, ticket, held: cover, clock, log, limits, listener, onEnded };
    try {
      return await PaidSession.connect(options, signal);
    } catch (cause) {
      await books.ended(session, { meteredMs: 0, reason: 'unconnected' });
      this.#options.onEnded();
      throw new SessionError('unreachable', { cause });
    }
  }

  async #ask(request: PaidRequest, held: MicroUsd, signal: AbortSignal): Promise<SessionTicket> {
    const { clock, limits } = this.#options;
    try {
      return await withDeadline(clock, limits.openMs, (limited) => request.ask({ signal: limited }), signal);
    } catch (error) {
      if (error instanceof MediaApiRefusal && error.status === 402) {
        this.#options.spending?.wasShort(held, 'service');
      }
      if (isMediaApiError(error)) throw toSessionError(error);
      if (error instanceof DeadlineError || signal.aborted)
        throw new SessionError('unreachable', { cause: error });
      throw error;
    }
  }

  /**
   * Records the end of a session. If that fails, the session keeps its hold, and another process ends the session when
   * its lease expires.
   */
  async #writeEnd(session: Written, end: Ended): Promise<void> {
    const { books, log, onEnded } = this.#options;
    try {
      for (let tries = 1; ; tries++) {
        try {
          return await books.ended(session, end);
        } catch (error) {
          log.warn({ error, sessionId: session.id, tries }, 'Cannot record how a paid session ended');
          if (tries >= TRIES_TO_WRITE) return;
        }
      }
    } finally {
      this.#sessions.delete(session.id);
      onEnded();
    }
  }

  #tracked<T>(work: Promise<T>): Promise<T> {
    const tracked: Promise<unknown> = work.catch(() => undefined).finally(() => this.#works.delete(tracked));
    this.#works.add(tracked);
    return work;
  }
}

type Written = Pick<SessionRow, 'id' | 'guild_id'>;

interface Ended {
  readonly meteredMs: number;
  readonly reason: EndReason;
}

/** Returns the error that explains to members why the service did not open a session. */
function toSessionError(error: MediaApiError): SessionError {
  if (!(error instanceof MediaApiRefusal)) return new SessionError('unreachable', { cause: error });
  if (error.status === 402) return new SessionError('unpaid', { cause: error });
  switch (error.retry) {
    case 'soon':
    case 'slow_down':
      return new SessionError(error.code === 'capability_unavailable' ? 'rejected' : 'no_capacity', {
        cause: error,
      });
    case 'warming':
      return new SessionError('no_capacity', { cause: error, isWarming: true });
    case 'service_fault':
      return new SessionError('unreachable', { cause: error });
    case 'never':
      return new SessionError('rejected', { cause: error });
  }
}
