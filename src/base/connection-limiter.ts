import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { callerGroup, isSharedAddress } from './caller-group.ts';
import { CallerShares, type Share, type Standing, firstToGiveWay } from './caller-shares.ts';
import type { Clock } from './clock.ts';
import { CountedLog } from './counted-log.ts';
import type { Logger } from './log.ts';

interface ConnectionLimiterOptions {
  /** The maximum number of simultaneous connections. */
  readonly connectionsMax: number;
  /**
   * The maximum number of simultaneous connections of one caller (an IPv4 address, or the /64 of an IPv6 address).
   * Addresses of this machine and of private networks are exempt, because a proxy there stands for many callers.
   */
  readonly perAddressMax: number;
  /** The maximum number of unanswered requests on a connection; one more closes the connection. Default: no limit. */
  readonly unansweredMax?: number;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Whether many callers may share an address. Default: `isSharedAddress`, true for addresses that are not public. */
  readonly isShared?: (address: string) => boolean;
}

interface Exchange {
  readonly request: IncomingMessage;
  readonly sinceMs: number;
}

interface Connection {
  readonly socket: Socket;
  /** The requests that have not been completely answered, oldest first. */
  readonly exchanges: Set<Exchange>;
  /** All connections from the same caller, including this one. */
  readonly ofCaller: Set<Connection>;
  readonly share: Share;
  /** When the connection was accepted or its last answer was sent, in milliseconds. */
  since: number;
  /** Whether the connection was handed over to the code that handles WebSockets and limits them itself. */
  isTaken: boolean;
}

type Ended = 'room_for_others' | 'too_many_of_one_caller' | 'too_many_unanswered';

/**
 * A connection that is idle, or whose request is being served, for longer than this many milliseconds gives way more
 * readily.
 */
const LONG_MS = 10_000;

/**
 * An idle connection counts as new for this many milliseconds, because its first request may be read this late when
 * many connections arrive at once.
 */
const NEW_MS = 2_000;

const IDLE_LONG: Standing = { to: 'everyone', rank: 0 };
const IDLE: Standing = { to: 'equals', rank: 1 };
const ARRIVING: Standing = { to: 'equals', rank: 2 };
const SERVED_LONG: Standing = { to: 'equals', rank: 3 };
const NEW: Standing = { to: 'equals', rank: 4 };
const SERVED: Standing = { to: 'lighter', rank: 5 };

/**
 * Limits the connections of a server. A new connection beyond a limit replaces an old one. The first choice is a
 * connection that has been idle for a long time, then one of the caller with the most connections. Among that caller's
 * connections the order is: idle ones, ones whose request is still arriving, ones whose request has been served for a
 * long time, new ones, and then all others. Among several of the same kind, the oldest is first.
 *
 * Unless it has been idle for a long time, a connection gives way only if its caller has at least as many connections
 * as the new caller. While its request has been served for only a short time, its caller must have more. Therefore a
 * caller with many connections can neither keep others out nor push them out, regardless of how many /64s of IPv6 it
 * uses: `CallerShares` counts its /56 and /48 as well. The new connection is closed only if no old one gives way. Each
 * decision checks all old connections once.
 */
export class ConnectionLimiter {
  readonly #options: Required<ConnectionLimiterOptions>;
  readonly #callers = new Map<string, Set<Connection>>();
  readonly #shares = new CallerShares();
  readonly #connections = new Map<Socket, Connection>();
  readonly #log: CountedLog<Ended>;

  /** Watches the server until it closes. */
  constructor(server: Server, options: ConnectionLimiterOptions) {
    this.#options = { isShared: isSharedAddress, unansweredMax: Infinity, ...options };
    this.#log = new CountedLog(options.clock, (line) => options.logger.warn(line, 'Connections were closed'));
    server.on('connection', (socket: Socket) => this.#enter(socket));
    server.on('request', (request, response) => this.#asked(request, response));
    server.on('upgrade', ({ socket }: IncomingMessage) => {
      const connection = this.#connections.get(socket);
      if (connection) connection.isTaken = true;
    });
    // The connection has reached the server's maximum number of requests per connection, because its caller keeps
    // sending without waiting for answers.
    server.on('dropRequest', ({ socket }: IncomingMessage) => void socket.destroy());
    server.once('close', () => this.#log[Symbol.dispose]());
  }

  #enter(socket: Socket): void {
    const { clock, perAddressMax, connectionsMax, isShared } = this.#options;
    const address = socket.remoteAddress ?? '';
    const caller = callerGroup(address);
    const ofCaller = this.#callers.get(caller) ?? new Set();
    const isOneOfMany = isShared(address);
    const connection: Connection = {
      socket,
      exchanges: new Set(),
      ofCaller,
      share: isOneOfMany ? this.#shares.takeAlone() : this.#shares.take(address),
      since: clock.monotonic(),
      isTaken: false,
    };
    this.#callers.set(caller, ofCaller.add(connection));
    this.#connections.set(socket, connection);
    socket.once('close', () => {
      this.#forget(connection);
      if (ofCaller.size === 0 && this.#callers.get(caller) === ofCaller) this.#callers.delete(caller);
    });
    if (ofCaller.size > perAddressMax && !isOneOfMany) {
      this.#end(this.#firstToGiveWay(ofCaller, connection) ?? connection, 'too_many_of_one_caller');
    }
    if (this.#connections.size > connectionsMax) {
      this.#end(
        this.#firstToGiveWay(this.#connections.values(), connection) ?? connection,
        'room_for_others',
      );
    }
  }

  #asked(request: IncomingMessage, response: ServerResponse): void {
    const connection = this.#connections.get(request.socket);
    if (!connection) return;
    if (connection.exchanges.size >= this.#options.unansweredMax)
      return this.#end(connection, 'too_many_unanswered');
    const { clock } = this.#options;
    const exchange = { request, sinceMs: clock.monotonic() };
    connection.exchanges.add(exchange);
    response.once('close', () => {
      connection.exchanges.delete(exchange);
      connection.since = clock.monotonic();
    });
  }

  /** Returns the connection that gives way to `newcomer`, or undefined if none can. */
  #firstToGiveWay(connections: Iterable<Connection>, newcomer: Connection): Connection | undefined {
    const nowMs = this.#options.clock.monotonic();
    return firstToGiveWay(connections, newcomer.share, (connection) => standingOf(connection, nowMs));
  }

  #end(connection: Connection, why: Ended): void {
    this.#log.add(why);
    this.#forget(connection);
    connection.socket.destroy();
  }

  #forget(connection: Connection): void {
    if (!this.#connections.delete(connection.socket)) return;
    connection.ofCaller.delete(connection);
    this.#shares.leave(connection.share);
  }
}

/** Returns the rule by which a connection gives way, or undefined if it never does. */
function standingOf({ socket, isTaken, exchanges, since }: Connection, nowMs: number): Standing | undefined {
  // A WebSocket that was rejected or has ended only waits for its caller to read the answer.
  if (isTaken) return socket.writableEnded ? IDLE_LONG : undefined;
  const [oldest] = exchanges;
  if (!oldest) return standingOfIdle(nowMs - since);
  // Only the last of several requests can be incomplete.
  if (!oldest.request.complete) return ARRIVING;
  return nowMs - oldest.sinceMs > LONG_MS ? SERVED_LONG : SERVED;
}

function standingOfIdle(idleMs: number): Standing {
  if (idleMs > LONG_MS) return IDLE_LONG;
  return idleMs > NEW_MS ? IDLE : NEW;
}
