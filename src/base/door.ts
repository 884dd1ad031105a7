import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { callerGroup, isSharedAddress } from './caller-group.ts';
import { CallerShares, type Share, type Standing, firstToGo } from './caller-shares.ts';
import type { Clock } from './clock.ts';
import { CountedLog } from './counted-log.ts';
import type { Logger } from './log.ts';

interface DoorOptions {
  /** The most connections at the same time. */
  readonly connectionsMax: number;
  /**
   * The most connections of one caller (an IPv4 address, or the /64 of an IPv6 address) at the same time. Addresses of
   * this machine and of private networks are exempt, because a proxy there stands for many callers.
   */
  readonly perAddressMax: number;
  /** The most requests that wait for an answer on one connection; one more closes it. Default: no limit. */
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

interface Guest {
  readonly socket: Socket;
  /** The requests without a complete answer, oldest first. */
  readonly exchanges: Set<Exchange>;
  /** All guests of the same caller, this one included. */
  readonly ofCaller: Set<Guest>;
  readonly share: Share;
  /** When it was accepted, or when its last answer was sent, in milliseconds. */
  since: number;
  /** Whether the connection was given to the owner of WebSockets, who limits them. */
  isTaken: boolean;
}

type Ended = 'room_for_others' | 'too_many_of_one_caller' | 'too_many_unanswered';

/** A connection that is idle, or whose request is being served, for longer than this gives way more readily. */
const LONG_MS = 10_000;

/** A request that has been sent may not be read before, if many callers arrive at the same time. */
const NEW_MS = 2_000;

const IDLE_LONG: Standing = { to: 'everyone', rank: 0 };
const IDLE: Standing = { to: 'equals', rank: 1 };
const ARRIVING: Standing = { to: 'equals', rank: 2 };
const SERVED_LONG: Standing = { to: 'equals', rank: 3 };
const NEW: Standing = { to: 'equals', rank: 4 };
const SERVED: Standing = { to: 'lighter', rank: 5 };

/**
 * Limits the connections of a server. A new connection beyond a limit replaces an old one: first one that has been idle
 * for long, then one of the caller with the most connections. Of that caller it is first an idle one, then one whose
 * request is still arriving, then one whose request has been served for a long time, then one that is new, then any
 * other; of several, the oldest.
 *
 * Only a caller with at least as many connections gives way, and a request that is being served only to a caller with
 * fewer. So a caller with many connections cannot keep others out, nor push them out, however many /64s of IPv6 it uses:
 * `CallerShares` counts its /56 and /48 as well. The new connection is closed only if no old one gives way. It costs one
 * look at each of the old ones.
 */
export class Door {
  readonly #options: Required<DoorOptions>;
  readonly #callers = new Map<string, Set<Guest>>();
  readonly #shares = new CallerShares();
  readonly #guests = new Map<Socket, Guest>();
  readonly #log: CountedLog<Ended>;

  /** Watches the server until it closes. */
  constructor(server: Server, options: DoorOptions) {
    this.#options = { isShared: isSharedAddress, unansweredMax: Infinity, ...options };
    this.#log = new CountedLog(options.clock, (line) => options.logger.warn(line, 'Connections were closed'));
    server.on('connection', (socket: Socket) => this.#enter(socket));
    server.on('request', (request, response) => this.#asked(request, response));
    server.on('upgrade', ({ socket }: IncomingMessage) => {
      const guest = this.#guests.get(socket);
      if (guest) guest.isTaken = true;
    });
    // The connection has used up its number of requests: its caller sends requests without waiting for answers.
    server.on('dropRequest', ({ socket }: IncomingMessage) => void socket.destroy());
    server.once('close', () => this.#log[Symbol.dispose]());
  }

  #enter(socket: Socket): void {
    const { clock, perAddressMax, connectionsMax, isShared } = this.#options;
    const address = socket.remoteAddress ?? '';
    const caller = callerGroup(address);
    const ofCaller = this.#callers.get(caller) ?? new Set();
    const isOneOfMany = isShared(address);
    const guest: Guest = {
      socket,
      exchanges: new Set(),
      ofCaller,
      share: isOneOfMany ? this.#shares.takeAlone() : this.#shares.take(address),
      since: clock.monotonic(),
      isTaken: false,
    };
    this.#callers.set(caller, ofCaller.add(guest));
    this.#guests.set(socket, guest);
    socket.once('close', () => {
      this.#forget(guest);
      if (ofCaller.size === 0 && this.#callers.get(caller) === ofCaller) this.#callers.delete(caller);
    });
    if (ofCaller.size > perAddressMax && !isOneOfMany) {
      this.#end(this.#firstToGo(ofCaller, guest) ?? guest, 'too_many_of_one_caller');
    }
    if (this.#guests.size > connectionsMax) {
      this.#end(this.#firstToGo(this.#guests.values(), guest) ?? guest, 'room_for_others');
    }
  }

  #asked(request: IncomingMessage, response: ServerResponse): void {
    const guest = this.#guests.get(request.socket);
    if (!guest) return;
    if (guest.exchanges.size >= this.#options.unansweredMax) return this.#end(guest, 'too_many_unanswered');
    const { clock } = this.#options;
    const exchange = { request, sinceMs: clock.monotonic() };
    guest.exchanges.add(exchange);
    response.once('close', () => {
      guest.exchanges.delete(exchange);
      guest.since = clock.monotonic();
    });
  }

  /** Returns the guest that gives way to `newcomer`, or undefined if none can. */
  #firstToGo(guests: Iterable<Guest>, newcomer: Guest): Guest | undefined {
    const nowMs = this.#options.clock.monotonic();
    return firstToGo(guests, newcomer.share, (guest) => standingOf(guest, nowMs));
  }

  #end(guest: Guest, why: Ended): void {
    this.#log.add(why);
    this.#forget(guest);
    guest.socket.destroy();
  }

  #forget(guest: Guest): void {
    if (!this.#guests.delete(guest.socket)) return;
    guest.ofCaller.delete(guest);
    this.#shares.leave(guest.share);
  }
}

/** When a guest gives way; undefined if it never does. */
function standingOf({ socket, isTaken, exchanges, since }: Guest, nowMs: number): Standing | undefined {
  // A WebSocket that was refused or has ended only waits until its caller reads the answer.
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
