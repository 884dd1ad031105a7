import type { RawData, WebSocket } from 'ws';
import { type Clock, type Timer, systemClock } from '../../base/clock.ts';
import type { Logger } from '../../base/log.ts';
import { RateBucket } from '../../base/rate-bucket.ts';
import type { SessionEnd } from '../store/sessions.ts';
import { Meter } from './meter.ts';
import type { Place } from './place.ts';

/** Close codes of RFC 6455, section 7.4.1. */
const NORMAL = 1000;
const GOING_AWAY = 1001;
const UNSUPPORTED_DATA = 1003;
const ABNORMAL = 1006;
const INVALID_DATA = 1007;
const POLICY = 1008;
const INTERNAL_ERROR = 1011;

const PING_EVERY_MS = 10_000;
const SILENT_MS_MAX = 30_000;
/** How long the client may take to close the socket. The limit is in real time, because sockets use real time. */
const CLOSE_MS = 2_000;

interface ConnectionOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly sessionId: string;
  readonly place: Place;
  readonly grantedMs: number;
  /** Called once, when the session ends, before the socket closes. */
  readonly onEnd: (end: SessionEnd) => void;
}

/**
 * The open socket of one session, from connecting until the session ends for any reason. The granted length
 * counts from connecting, but billing starts with the first converted frame, so no session is billed for more
 * than it was granted.
 */
export class Connection {
  readonly #options: ConnectionOptions;
  readonly #socket: WebSocket;
  readonly #meter: Meter;
  readonly #budget: RateBucket;
  readonly #limit: Timer;
  readonly #gone: Promise<void>;
  #convert: ((frame: Buffer) => void) | undefined;
  #pingedAt: number;
  #ended = false;

  constructor(socket: WebSocket, options: ConnectionOptions) {
    const { clock, place, grantedMs } = options;
    this.#options = options;
    this.#socket = socket;
    this.#meter = new Meter(clock, grantedMs);
    this.#budget = new RateBucket(clock, place.limits.framesPerSecondMax);
    this.#pingedAt = clock.monotonic();
    this.#limit = clock.after(grantedMs, () => this.#reachLimit(), { background: true });
    this.#gone = new Promise((resolve) => socket.once('close', () => resolve()));
    socket.on('message', (data, isBinary) => this.#receive(data, isBinary));
    socket.on('ping', (data) => this.#answerPing(data));
    socket.on('pong', () => this.#meter.touch());
    socket.on('close', (code) => this.#closed(code));
    socket.on('error', (error) => this.#broke(error));
    if (place.greeting !== undefined) socket.send(place.greeting);
    this.#convert = place.connect({
      send: (frame) => this.#send(frame),
      fail: (fault, error) => this.#fail(fault, error),
    });
  }

  /** The streamed time to store in case of a crash; null before the first converted frame. */
  get streamedMs(): number | null {
    return this.#meter.streamedMs;
  }

  /** Checks whether the client is alive. It is called about every second. */
  tick(): void {
    const { clock } = this.#options;
    if (this.#socket.readyState !== this.#socket.OPEN) {
      // The client's close frame has arrived. The session ends here, no matter how long the client keeps the
      // socket open.
      this.#end('succeeded', null);
      this.#terminateSoon();
    } else if (this.#meter.silentMs > SILENT_MS_MAX) {
      this.#end('succeeded', 'timed_out', this.#meter.streamedMsWhileAlive);
      this.#socket.terminate();
    } else if (clock.monotonic() - this.#pingedAt >= PING_EVERY_MS) {
      this.#pingedAt = clock.monotonic();
      this.#socket.ping();
    }
  }

  /** Ends the session and resolves when the socket is closed. */
  async stop(): Promise<void> {
    this.#end('succeeded', 'cancelled');
    this.#close(GOING_AWAY, 'The server is stopping');
    await this.#gone;
  }

  #receive(data: RawData, isBinary: boolean): void {
    if (!this.#admit()) return;
    if (!isBinary || !Buffer.isBuffer(data)) return this.#dismiss(UNSUPPORTED_DATA, 'Frames are binary');
    if (data.length > 0) this.#convert?.(data);
  }

  #answerPing(data: Buffer): void {
    if (!this.#admit() || this.#socket.readyState !== this.#socket.OPEN) return;
    this.#socket.pong(data);
    this.#requireReader();
  }

  /**
   * Counts a message or a ping. Pings count because their answers may pile up here for a client that does not
   * read.
   */
  #admit(): boolean {
    if (this.#ended) return false;
    this.#meter.touch();
    const isWithin = this.#budget.take();
    if (!isWithin) this.#dismiss(POLICY, 'Too many messages a second');
    return isWithin;
  }

  #send(frame: Uint8Array): void {
    if (this.#ended || this.#socket.readyState !== this.#socket.OPEN) return;
    this.#socket.send(frame);
    this.#meter.start();
    this.#requireReader();
  }

  #requireReader(): void {
    if (this.#socket.bufferedAmount > this.#options.place.limits.unreadBytesMax) {
      this.#dismiss(POLICY, 'Converted frames are not read');
    }
  }

  #reachLimit(): void {
    this.#end('succeeded', 'session_limit_reached');
    this.#close(NORMAL, 'session_limit_reached');
  }

  #fail(fault: 'client' | 'server', error: unknown): void {
    const { logger, sessionId } = this.#options;
    if (fault === 'client') return this.#dismiss(INVALID_DATA, 'A frame cannot be read');
    logger.warn({ error, sessionId }, 'A session failed');
    this.#end('failed', 'render_failed');
    this.#close(INTERNAL_ERROR, 'The conversion broke off');
  }

  #dismiss(code: number, reason: string): void {
    this.#end('succeeded', 'cancelled');
    this.#close(code, reason);
  }

  /**
   * If the connection was cut off without a close frame, the session is settled up to the time when the
   * client was last heard from.
   */
  #closed(code: number): void {
    if (code === ABNORMAL) this.#end('succeeded', null, this.#meter.streamedMsWhileAlive);
    else this.#end('succeeded', null);
  }

  /** Ends the session after a protocol violation, such as a message that is too large. The socket closes by itself. */
  #broke(error: Error): void {
    const { logger, sessionId } = this.#options;
    logger.debug({ error, sessionId }, 'A session violated the protocol');
    this.#end('succeeded', 'cancelled');
    this.#terminateSoon();
  }

  #end(
    state: SessionEnd['state'],
    reason: SessionEnd['reason'],
    streamedMs: number | null = this.#meter.streamedMs,
  ): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#limit.cancel();
    this.#convert = undefined;
    const failed = state === 'failed';
    this.#options.onEnd({ state, reason: streamedMs === null && !failed ? 'no_stream' : reason, streamedMs });
  }

  #close(code: number, reason: string): void {
    this.#socket.close(code, reason);
    this.#terminateSoon();
  }

  #terminateSoon(): void {
    const timer = systemClock.after(CLOSE_MS, () => this.#socket.terminate(), { background: true });
    this.#socket.once('close', () => timer.cancel());
  }
}
