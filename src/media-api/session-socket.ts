import { WebSocket } from 'ws';
import { type Clock, type Timer, systemClock } from '../base/clock.ts';
import { noteWire } from '../base/wire-note.ts';
import { MediaApiUnreachable } from './errors.ts';

/** What comes in, in its order. None may throw or take long. */
interface SocketHandlers {
  onText(text: string): void;
  /** Never empty. The bytes are the handler's. */
  onBinary(data: Buffer): void;
  /** Called once: nothing comes after it. `code` is whatever the other side said, 1006 when it just went away. */
  onEnd(code: number): void;
}

/** Times in milliseconds, sizes in bytes. */
export interface SocketLimits {
  /** For connecting, handshakes included. */
  readonly connectMs: number;
  /** For the other side's answer to a close. */
  readonly closeMs: number;
  /** From one ping to the next; after `unansweredMax` during which nothing came, the link counts as dead. */
  readonly pingMs: number;
  readonly unansweredMax: number;
  /** Of one message from the other side. */
  readonly messageBytesMax: number;
}

export const SOCKET_LIMITS: SocketLimits = {
  connectMs: 10_000,
  closeMs: 800,
  pingMs: 5_000,
  unansweredMax: 2,
  messageBytesMax: 4 * 1024 * 1024,
};

interface SocketOptions {
  readonly clock: Clock;
  readonly limits?: Partial<SocketLimits> | undefined;
  readonly signal?: AbortSignal | undefined;
}

const ACTION = 'connect to a session';
const NORMAL = 1000;

/**
 * The open socket of a paid session: as long as it is open, the session may be billed. So it ends for sure when it is
 * closed, and also when the other side is not there any more.
 */
export class SessionSocket {
  readonly #socket: WebSocket;
  readonly #clock: Clock;
  readonly #limits: SocketLimits;
  readonly #gone: Promise<void>;
  #handlers: SocketHandlers | undefined;
  #isConnected = false;
  #ping: Timer | undefined;
  #unanswered = 0;

  private constructor(socket: WebSocket, handlers: SocketHandlers, clock: Clock, limits: SocketLimits) {
    this.#socket = socket;
    this.#handlers = handlers;
    this.#clock = clock;
    this.#limits = limits;
    this.#gone = new Promise((resolve) => socket.once('close', () => resolve()));
    socket.on('message', (data, isBinary) => this.#receive(data, isBinary));
    socket.on('pong', () => (this.#unanswered = 0));
    socket.on('ping', () => (this.#unanswered = 0));
    // What broke is told by the close that follows.
    socket.on('error', () => undefined);
    socket.on('close', (code) => this.#end(code));
  }

  /**
   * Connects to the address of a ticket. Nothing is sent before the caller sends something. Throws
   * `MediaApiUnreachable`, which does not tell the address.
   */
  static async connect(
    address: URL,
    handlers: SocketHandlers,
    options: SocketOptions,
  ): Promise<SessionSocket> {
    const { clock, signal } = options;
    const limits = { ...SOCKET_LIMITS, ...options.limits };
    if (signal?.aborted) throw notConnected('aborted', signal.reason);
    const socket = new WebSocket(address, {
      perMessageDeflate: false,
      followRedirects: false,
      maxPayload: limits.messageBytesMax,
    });
    // At once: what comes with the handshake's answer must not be missed.
    const made = new SessionSocket(socket, handlers, clock, limits);
    const startMs = clock.monotonic();
    try {
      await made.#opened(signal);
      const ms = clock.monotonic() - startMs;
      noteWire(() => ({ source: 'session', what: 'session socket opened', status: 101, ms }));
    } catch (error) {
      noteWire(() => ({ source: 'session', what: 'session socket refused', status: 'failed' }));
      made.#handlers = undefined;
      socket.terminate();
      throw error;
    }
    return made;
  }

  /** Bytes that were sent and are still here. */
  get waitingBytes(): number {
    return this.#socket.bufferedAmount;
  }

  /**
   * Sends a message, unless more than `waitingBytesMax` would wait then: it is dropped, and the answer is false.
   * `onSent` is called once it has left this process, or never will.
   */
  send(data: Uint8Array | string, waitingBytesMax: number, onSent?: () => void): boolean {
    const isOpen = this.#handlers !== undefined && this.#socket.readyState === WebSocket.OPEN;
    if (!isOpen || this.#socket.bufferedAmount + data.length > waitingBytesMax) return false;
    if (onSent) this.#socket.send(data, () => onSent());
    else this.#socket.send(data);
    this.#watch();
    return true;
  }

  /** Ends the session; resolves when the socket is gone, answer or not. From now on nothing is handed on but the end. */
  async close(): Promise<void> {
    const { socket, timer } = { socket: this.#socket, timer: this.#terminateSoon() };
    if (socket.readyState === WebSocket.OPEN) socket.close(NORMAL);
    await this.#gone;
    timer.cancel();
  }

  #opened(signal: AbortSignal | undefined): Promise<void> {
    const socket = this.#socket;
    return new Promise((resolve, reject) => {
      const end = (settle: () => void): void => {
        timer.cancel();
        signal?.removeEventListener('abort', onAbort);
        settle();
      };
      const fail = (error: MediaApiUnreachable): void => end(() => reject(error));
      const onAbort = (): void => fail(notConnected('aborted', signal?.reason));
      const timer = this.#clock.after(this.#limits.connectMs, () => fail(notConnected('timed_out')));
      signal?.addEventListener('abort', onAbort, { once: true });
      socket.once('open', () => {
        this.#isConnected = true;
        end(resolve);
      });
      socket.once('unexpected-response', (_request, response) => {
        response.destroy();
        fail(notConnected('connection_failed', undefined, response.statusCode));
      });
      socket.once('error', (error) => fail(notConnected('connection_failed', error)));
      socket.once('close', () => fail(notConnected('connection_lost')));
    });
  }

  #receive(data: WebSocket.RawData, isBinary: boolean): void {
    this.#unanswered = 0;
    this.#watch();
    // `binaryType` is the default, so that messages are never anything else.
    if (!Buffer.isBuffer(data) || this.#socket.readyState !== WebSocket.OPEN) return;
    if (!isBinary) this.#handlers?.onText(data.toString());
    else if (data.length > 0) this.#handlers?.onBinary(data);
  }

  /** Once either side has sent something: before that nothing is sent, not even a ping. */
  #watch(): void {
    this.#ping ??= this.#clock.after(this.#limits.pingMs, () => this.#look(), { background: true });
  }

  /** By pings that nobody answers: an event loop that was late itself has heard what came before it asks again. */
  #look(): void {
    this.#ping = undefined;
    if (this.#socket.readyState !== WebSocket.OPEN) return void this.#terminateSoon();
    if (this.#unanswered >= this.#limits.unansweredMax) return this.#socket.terminate();
    this.#unanswered += 1;
    this.#socket.ping();
    this.#watch();
  }

  #terminateSoon(): Timer {
    // Sockets live in real time, whatever clock the session has.
    return systemClock.after(this.#limits.closeMs, () => this.#socket.terminate());
  }

  #end(code: number): void {
    this.#ping?.cancel();
    const handlers = this.#handlers;
    this.#handlers = undefined;
    if (!this.#isConnected) return;
    noteWire(() => ({ source: 'session', what: 'session socket closed', detail: { close_code: code } }));
    handlers?.onEnd(code);
  }
}

function notConnected(
  code: 'aborted' | 'timed_out' | 'connection_failed' | 'connection_lost',
  cause?: unknown,
  status?: number,
): MediaApiUnreachable {
  return new MediaApiUnreachable(ACTION, {
    code,
    phase: 'connect',
    ambiguous: false,
    status: status ?? null,
    cause,
  });
}
