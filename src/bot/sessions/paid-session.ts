import type { Clock, Timer } from '../../base/clock.ts';
import type { Logger } from '../../base/log.ts';
import type { MicroUsd } from '../../base/money.ts';
import { SessionSocket, type SocketLimits } from '../../media-api/session-socket.ts';
import type { SessionTicket } from '../../media-api/session-ticket.ts';
import { costOfTime } from '../../media-api/time-price.ts';
import { Meter } from './meter.ts';
import { type EndReason, reasonOf } from './session-end.ts';
import type { CloseReason, LineEnd } from './line-end.ts';
import type { LineStanding } from './line-standing.ts';

/** Hears what the service sends: texts, and what it converted. Must not throw or take long. */
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
  /** Called once, at the moment it is over. */
  readonly onEnded: (end: { readonly meteredMs: number; readonly reason: EndReason }) => void;
}

/** Both sides count to the limit, and either may be first. */
const LIMIT_TOLERANCE_MS = 2_000;

/**
 * The socket of a session that is paid by the second, with its meter and its limit, whatever is sent over it. It is
 * over, once and for ever, when it is closed, cut off, or at its limit.
 */
export class PaidSession {
  readonly id: string;
  readonly #options: PaidSessionOptions;
  readonly #meter: Meter;
  readonly #limit: Timer;
  readonly #enders: ((end: LineEnd) => void)[] = [];
  #socket: SessionSocket | undefined;
  #closing: { readonly end: LineEnd; readonly reason: EndReason } | undefined;
  #end: LineEnd | undefined;

  private constructor(options: PaidSessionOptions) {
    const { clock, ticket, limits } = options;
    this.id = options.id;
    this.#options = options;
    this.#meter = new Meter(clock, { grantedMs: ticket.grantedSeconds * 1000, marginMs: limits.marginMs });
    this.#limit = clock.after(this.#meter.leftMs, () => this.#reachLimit(), { background: true });
  }

  /** Throws `MediaApiUnreachable`; then nothing was or will be paid, and `onEnded` is not called. */
  static async connect(options: PaidSessionOptions, signal: AbortSignal): Promise<PaidSession> {
    const session = new PaidSession(options);
    const { clock, limits, ticket, listener } = options;
    try {
      const handlers = {
        onText: (text: string) => listener.onText(text),
        onBinary: (data: Buffer) => session.#receive(data),
        onEnd: (code: number) => session.#ended(code),
      };
      session.#socket = await SessionSocket.connect(ticket.address(), handlers, { clock, limits, signal });
    } catch (error) {
      session.#limit.cancel();
      throw error;
    }
    return session;
  }

  /** What the service said when it was opened. */
  get granted(): Pick<SessionTicket, 'grantedSeconds' | 'maxCost' | 'prompt'> {
    return this.#options.ticket;
  }

  get standing(): LineStanding {
    const { held } = this.#options;
    const { meteredMs, quietMs, leftMs } = this.#meter;
    return { meteredMs, quietMs, leftMs, estimate: this.estimate, held };
  }

  get meteredMs(): number {
    return this.#meter.meteredMs;
  }

  get estimate(): MicroUsd {
    const { grantedSeconds: seconds, maxCost } = this.#options.ticket;
    return costOfTime({ seconds, maxCost }, this.#meter.meteredMs);
  }

  /** Sends a message, unless so much waits already that it is dropped: then false. `onSent`: it waits no more. */
  send(data: Uint8Array | string, waitingBytesMax: number, onSent?: () => void): boolean {
    return this.#closing === undefined && (this.#socket?.send(data, waitingBytesMax, onSent) ?? false);
  }

  /** Called once, also when it is over already. */
  onEnd(listener: (end: LineEnd) => void): void {
    const end = this.#end;
    if (end) queueMicrotask(() => listener(end));
    else this.#enders.push(listener);
  }

  /** Resolves when the socket is gone. */
  async close(reason: CloseReason): Promise<void> {
    await this.#close({ kind: 'closed', reason }, reason);
  }

  /** Closes a session that is of no use. */
  async giveUp(reason: 'no_format'): Promise<void> {
    await this.#close({ kind: 'lost', code: 1000 }, reason);
  }

  async #close(end: LineEnd, reason: EndReason): Promise<void> {
    if (!this.#end) this.#closing ??= { end, reason };
    this.#meter.stop();
    await this.#socket?.close();
  }

  #receive(data: Buffer): void {
    if (this.#closing) return;
    this.#meter.hear();
    this.#options.listener.onConverted(data);
  }

  #reachLimit(): void {
    void this.#close({ kind: 'granted' }, 'granted');
  }

  #ended(code: number): void {
    const isDue = this.#meter.leftMs <= LIMIT_TOLERANCE_MS;
    this.#meter.stop();
    this.#limit.cancel();
    const lost: LineEnd = isDue ? { kind: 'granted' } : { kind: 'lost', code };
    const { end, reason } = this.#closing ?? { end: lost, reason: reasonOf(lost) };
    this.#end = end;
    const { meteredMs } = this.#meter;
    this.#options.log.info({ sessionId: this.id, reason, code, meteredMs }, 'A paid session is over');
    this.#options.onEnded({ meteredMs, reason });
    for (const tell of this.#enders.splice(0)) tell(end);
  }
}
