import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { callerGroup, isSharedAddress } from './caller-group.ts';
import type { Clock } from './clock.ts';
import { CountedLog } from './counted-log.ts';
import type { Logger } from './log.ts';

export interface DoorOptions {
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
  readonly exchanges: Set<Exchange>;
  /** All guests of the same caller, this one included. */
  readonly ofCaller: Set<Guest>;
  /** When it was accepted, or when its last answer was sent. */
  sinceMs: number;
  /** Whether the connection has become a WebSocket, which its owner limits. */
  isTaken: boolean;
}

type Ended = 'room_for_others' | 'too_many_of_one_caller' | 'too_many_unanswered';

/** A connection may be closed for another one if its request has been served for longer than this. */
const SERVED_MS = 10_000;

/**
 * Limits the connections of a server. A new connection beyond a limit replaces an old one: first an idle one, then one
 * whose request is still arriving, then one whose request has been served for a long time. Among several, it closes one
 * of the caller with the most connections, and of that caller the oldest. A caller that holds many connections
 * therefore cannot keep other callers out. The new connection is closed only if no old one can be.
 */
export class Door {
  readonly #options: Required<DoorOptions>;
  readonly #callers = new Map<string, Set<Guest>>();
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
    const guest: Guest = {
      socket,
      exchanges: new Set(),
      ofCaller,
      sinceMs: clock.monotonic(),
      isTaken: false,
    };
    this.#callers.set(caller, ofCaller.add(guest));
    this.#guests.set(socket, guest);
    socket.once('close', () => {
      this.#forget(guest);
      if (ofCaller.size === 0 && this.#callers.get(caller) === ofCaller) this.#callers.delete(caller);
    });
    if (ofCaller.size > perAddressMax && !isShared(address)) {
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
      guest.sinceMs = clock.monotonic();
    });
  }

  /** Returns the guest that gives way to `newcomer`, or undefined if none can. */
  #firstToGo(guests: Iterable<Guest>, newcomer: Guest): Guest | undefined {
    const nowMs = this.#options.clock.monotonic();
    let first: Guest | undefined;
    let firstRank = Infinity;
    for (const guest of guests) {
      const rank = guest === newcomer ? Infinity : rankOf(guest, nowMs);
      if (rank > firstRank || rank === Infinity) continue;
      if (first && rank === firstRank && !goesBefore(guest, first)) continue;
      first = guest;
      firstRank = rank;
    }
    return first;
  }

  #end(guest: Guest, why: Ended): void {
    this.#log.add(why);
    this.#forget(guest);
    guest.socket.destroy();
  }

  #forget(guest: Guest): void {
    this.#guests.delete(guest.socket);
    guest.ofCaller.delete(guest);
  }
}

/** Returns the rank of a guest. Guests with the lowest rank give way first; a guest with rank infinity stays. */
function rankOf({ isTaken, exchanges }: Guest, nowMs: number): number {
  if (isTaken) return Infinity;
  if (exchanges.size === 0) return 0;
  const all = [...exchanges];
  if (all.every(({ request }) => !request.complete)) return 1;
  return all.some(({ sinceMs }) => nowMs - sinceMs > SERVED_MS) ? 2 : Infinity;
}

/** Whether `guest` gives way before `other`, which has the same rank. */
function goesBefore(guest: Guest, other: Guest): boolean {
  const more = guest.ofCaller.size - other.ofCaller.size;
  return more > 0 || (more === 0 && guest.sinceMs < other.sinceMs);
}
