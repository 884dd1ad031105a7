import type { RawData, WebSocket } from 'ws';
import { type Timer, systemClock } from '../../../base/clock.ts';
import type { CloseCode } from './live-wire.ts';
import { RateBucket } from '../../../base/rate-bucket.ts';

/** Receives a browser's messages. `onGone` is called once, as the last callback. */
interface PeerHandlers {
  /** Returns false if the message is not valid; then the socket is closed. */
  onText(text: string): boolean;
  onFrame(frame: Buffer): void;
  onGone(): void;
}

/** The limit for messages of all kinds, including acknowledgements of pictures. */
const MESSAGES_PER_SECOND_MAX = 300;
const PING_MS = 5_000;
const UNANSWERED_MAX = 2;
const CLOSE_MS = 1_000;
/** If more bytes than this are waiting to be sent, the browser is disconnected. */
const WAITING_BYTES_MAX = 8 * 1024 * 1024;
const POLICY = 1008;

/**
 * A browser's socket. It limits the rate of messages and always detects the end of the connection. It uses the system
 * clock, because sockets work in real time.
 */
export class Peer {
  readonly #socket: WebSocket;
  readonly #rate = new RateBucket(systemClock, MESSAGES_PER_SECOND_MAX);
  #handlers: PeerHandlers | null = null;
  #ping: Timer | null = null;
  #unanswered = 0;

  constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.on('message', (data, isBinary) => this.#receive(data, isBinary));
    socket.on('pong', () => (this.#unanswered = 0));
    // The close event that follows handles the error.
    socket.on('error', () => undefined);
    socket.on('close', () => this.#gone());
    this.#watch();
  }

  listen(handlers: PeerHandlers): void {
    this.#handlers = handlers;
  }

  say(message: object): void {
    if (this.#socket.readyState !== this.#socket.OPEN) return;
    if (this.#socket.bufferedAmount > WAITING_BYTES_MAX) return this.#socket.terminate();
    this.#socket.send(JSON.stringify(message));
  }

  /** Sends a picture; see `SendFrame`. */
  show(frame: Buffer, onSent: () => void): boolean {
    if (this.#socket.readyState !== this.#socket.OPEN) return false;
    this.#socket.send(frame, { binary: true }, () => onSent());
    return true;
  }

  close(code: CloseCode): void {
    this.#socket.close(code);
    const timer = systemClock.after(CLOSE_MS, () => this.#socket.terminate(), { background: true });
    this.#socket.once('close', () => timer.cancel());
  }

  /** Closes the connection without a close message. */
  terminate(): void {
    this.#socket.terminate();
  }

  #receive(data: RawData, isBinary: boolean): void {
    this.#unanswered = 0;
    const handlers = this.#handlers;
    if (!handlers || !Buffer.isBuffer(data) || this.#socket.readyState !== this.#socket.OPEN) return;
    if (!this.#rate.take()) return this.close(POLICY);
    if (isBinary) return handlers.onFrame(data);
    if (!handlers.onText(data.toString())) this.close(POLICY);
  }

  #watch(): void {
    this.#ping = systemClock.after(PING_MS, () => this.#look(), { background: true });
  }

  #look(): void {
    if (this.#unanswered >= UNANSWERED_MAX) return this.#socket.terminate();
    this.#unanswered += 1;
    if (this.#socket.readyState === this.#socket.OPEN) this.#socket.ping();
    this.#watch();
  }

  #gone(): void {
    this.#ping?.cancel();
    const handlers = this.#handlers;
    this.#handlers = null;
    handlers?.onGone();
  }
}
