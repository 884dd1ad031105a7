import type { Clock, Timer } from '../../base/clock.ts';
import type { Logger } from '../../base/log.ts';
import type { MicroUsd } from '../../base/money.ts';
import { SessionSocket, type SocketLimits } from '../../media-api/session-socket.ts';
import type { SessionTicket } from '../../media-api/session-ticket.ts';
import { costOfTime } from '../../media-api/time-price.ts';
import type { EndReason } from './end-reason.ts';
import type { CloseReason, LineEnd } from './line-end.ts';
import type { LineStanding } from './line-standing.ts';
import { type PaidSessionEvent, type PaidSessionState, next } from './paid-session-state.ts';
import { type MeterReading, readMeter } from './read-meter.ts';

/** Receives the service's messages: text and converted data. Must not throw or take long. */
export interface SessionListener {
  onText(text: string): void;
  onConverted(data: Buffer): void;
}

interface PaidSessionOptions {
  readonly id: string;
  readonly ticket: SessionTicket;
  readonly held: MicroUsd;
  readonly clock: Clock;
  readonly log: Logger;
  readonly limits: SocketLimits & { readonly marginMs: number };
  readonly listener: SessionListener;
  /** Called once, when the session ends. */
  readonly onEnded: (end: { readonly meteredMs: number; readonly reason: EndReason }) => void;
}

/** The margin before the limit is at most this fraction of the granted time. */
const MARGIN_SHARE_MAX = 0.1;

/**
 * The socket of a session that is paid by the second, with the session's meter and limit. It carries data of any kind.
 * A session that was closed, was cut off or has reached its limit cannot be used again.
 */
export class PaidSession {
  readonly id: string;
  readonly #options: PaidSessionOptions;
  readonly #limit: Timer;
  readonly #enders: ((end: LineEnd) => void)[] = [];
  #state: PaidSessionState;
  #socket: SessionSocket | undefined;
  /** Resolves once the socket is gone, if this process closes it. */
  #gone: Promise<void> = Promise.resolve();

  private constructor(options: PaidSessionOptions) {
    const { clock, ticket, limits } = options;
    const grantedMs = ticket.grantedSeconds * 1000;
    const connectedAtMs = clock.monotonic();
    const limitAtMs = connectedAtMs + grantedMs - Math.min(limits.marginMs, MARGIN_SHARE_MAX * grantedMs);
    this.id = options.id;
    this.#options = options;
    this.#state = { kind: 'quiet', term: { connectedAtMs, limitAtMs, grantedMs } };
    this.#limit = clock.after(limitAtMs - connectedAtMs, () => this.#reachLimit(), { background: true });
  }

  /** Throws `MediaApiUnreachable`; in this case nothing is charged, and `onEnded` is not called. */
  static async connect(options: PaidSessionOptions, signal: AbortSignal): Promise<PaidSession> {
    const session = new PaidSession(options);
    const { clock, limits, ticket, listener } = options;
    try {
      const handlers = {
        onText: (text: string) => listener.onText(text),
        onBinary: (data: Buffer) => session.#receive(data),
        onEnd: (code: number) => session.#apply({ kind: 'disconnected', code, atMs: clock.monotonic() }),
      };
      session.#socket = await SessionSocket.connect(ticket.address(), handlers, { clock, limits, signal });
    } catch (error) {
      session.#limit.cancel();
      throw error;
    }
    // The limit may have been reached while the socket was connecting.
    if (session.#state.kind === 'closing') session.#closeSocket();
    return session;
  }

  /** The terms that the service granted when the session was opened. */
  get granted(): Pick<SessionTicket, 'grantedSeconds' | 'maxCost' | 'prompt'> {
    return this.#options.ticket;
  }

  get standing(): LineStanding {
    const { held } = this.#options;
    const reading = this.#meter();
    return { ...reading, estimate: this.#costOf(reading), held };
  }

  get meteredMs(): number {
    return this.#meter().meteredMs;
  }

  /**
   * Sends a message. Returns false if it was dropped because too much data was already waiting or the session is over.
   * `onSent` is called when the message is no longer waiting.
   */
  send(data: Uint8Array | string, waitingBytesMax: number, onSent?: () => void): boolean {
    return this.#isRunning() && (this.#socket?.send(data, waitingBytesMax, onSent) ?? false);
  }

  /** Calls the listener once when the session ends, or shortly after this call if the session is already over. */
  onEnd(listener: (end: LineEnd) => void): void {
    const state = this.#state;
    if (state.kind === 'ended') queueMicrotask(() => listener(state.end));
    else this.#enders.push(listener);
  }

  /** Closes the session. Resolves when the socket is gone. */
  async close(reason: CloseReason): Promise<void> {
    await this.#close({ kind: 'closed', reason }, reason);
  }

  /** Closes a session that cannot be used. */
  async giveUp(reason: 'no_format'): Promise<void> {
    await this.#close({ kind: 'lost', code: 1000 }, reason);
  }

  async #close(end: LineEnd, reason: EndReason): Promise<void> {
    this.#apply({ kind: 'close', end, reason, atMs: this.#options.clock.monotonic() });
    await this.#gone;
  }

  #receive(data: Buffer): void {
    if (!this.#isRunning()) return;
    this.#apply({ kind: 'converted', atMs: this.#options.clock.monotonic() });
    this.#options.listener.onConverted(data);
  }

  #reachLimit(): void {
    void this.#close({ kind: 'granted' }, 'granted');
  }

  /** The only place that changes the state. It performs the effects of entering the new state. */
  #apply(event: PaidSessionEvent): void {
    const before = this.#state;
    const state = next(before, event);
    this.#state = state;
    if (state.kind === before.kind) return;
    if (state.kind === 'closing') this.#closeSocket();
    if (state.kind === 'ended') this.#finish(state);
  }

  #closeSocket(): void {
    this.#gone = this.#socket?.close() ?? Promise.resolve();
  }

  #finish({ end, reason, code }: Extract<PaidSessionState, { kind: 'ended' }>): void {
    const { id, log, onEnded } = this.#options;
    const { meteredMs } = this;
    this.#limit.cancel();
    log.info({ sessionId: id, reason, code, meteredMs }, 'A paid session ended');
    onEnded({ meteredMs, reason });
    for (const notify of this.#enders.splice(0)) notify(end);
  }

  #isRunning(): boolean {
    return this.#state.kind === 'quiet' || this.#state.kind === 'metered';
  }

  #meter(): MeterReading {
    return readMeter(this.#state, this.#options.clock.monotonic());
  }

  #costOf({ meteredMs }: MeterReading): MicroUsd {
    const { grantedSeconds: seconds, maxCost } = this.#options.ticket;
    return costOfTime({ seconds, maxCost }, meteredMs);
  }
}
