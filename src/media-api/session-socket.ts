import { WebSocket } from 'ws';
import { type Clock, type Timer, systemClock } from '../base/clock.ts';
import { noteWire } from '../base/wire-note.ts';
import { MediaApiUnreachable } from './errors.ts';

/** Handlers for incoming messages, called in order. None may throw or take long. */
interface SocketHandlers {
  onText(text: string): void;
  /** The data is never empty. The handler owns the bytes. */
  onBinary(data: Buffer): void;
  /** Called once, as the last handler. `code` is the other side's close code, or 1006 if the connection broke. */
  onEnd(code: number): void;
}

/** Time limits in milliseconds and size limits in bytes. */
export interface SocketLimits {
  /** The limit for connecting, including the handshakes. */
  readonly connectMs: number;
  /** The limit for the other side's answer to a close. */
  readonly closeMs: number;
  /** The interval of pings. After `unansweredMax` intervals in which no data arrived, the connection counts as dead. */
  readonly pingMs: number;
  readonly unansweredMax: number;
  /** The largest message from the other side. */
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
 * The open socket of a paid session. The session may be billed while the socket is open, so the socket always ends:
 * when it is closed, and when the other side is no longer reachable.
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
    // The close event that follows reports the failure.
    socket.on('error', () => undefined);
    socket.on('close', (code) => this.#end(code));
  }

  /**
   * Connects to a ticket's address. Nothing is sent until the caller sends something. Throws `MediaApiUnreachable`,
   * whose message does not contain the address.
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
    // The listeners are attached at once, so that messages that arrive with the handshake's answer are not missed.
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

  /** The number of bytes that `send` accepted but that are still waiting in this process. */
  get waitingBytes(): number {
    return this.#socket.bufferedAmount;
  }

  /**
   * Sends a message. If more than `waitingBytesMax` bytes would then wait, it is dropped and the result is false.
   * `onSent` is called once, when the message has left this process or can no longer leave it.
   */
  send(data: Uint8Array | string, waitingBytesMax: number, onSent?: () => void): boolean {
    const isOpen = this.#handlers !== undefined && this.#socket.readyState === WebSocket.OPEN;
    if (!isOpen || this.#socket.bufferedAmount + data.length > waitingBytesMax) return false;
    if (onSent) this.#socket.send(data, () => onSent());
    else this.#socket.send(data);
    this.#watch();
    return true;
  }

  /**
   * Ends the session. Resolves when the socket is closed, with or without an answer. After the call, only `onEnd` is
   * called.
   */
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
    // `binaryType` has its default, so messages are always buffers.
    if (!Buffer.isBuffer(data) || this.#socket.readyState !== WebSocket.OPEN) return;
    if (!isBinary) this.#handlers?.onText(data.toString());
    else if (data.length > 0) this.#handlers?.onBinary(data);
  }

  /** The first ping follows the first message of either side. Before that, nothing is sent. */
  #watch(): void {
    this.#ping ??= this.#clock.after(this.#limits.pingMs, () => this.#look(), { background: true });
  }

  /**
   * Detects a dead connection by unanswered pings. If the event loop itself was late, messages that are already waiting
   * are handled before the next check.
   */
  #look(): void {
    this.#ping = undefined;
    if (this.#socket.readyState !== WebSocket.OPEN) return void this.#terminateSoon();
    if (this.#unanswered >= this.#limits.unansweredMax) return this.#socket.terminate();
    this.#unanswered += 1;
    this.#socket.ping();
    this.#watch();
  }

  #terminateSoon(): Timer {
    // Sockets work in real time, regardless of the session's clock.
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
