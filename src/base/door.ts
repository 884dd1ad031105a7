import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { callerGroup, isSharedAddress } from './caller-group.ts';
import type { Clock } from './clock.ts';
import { CountedLog } from './counted-log.ts';
import type { Logger } from './log.ts';

export interface DoorOptions {
  /** Connections at the same time. */
  readonly connectionsMax: number;
  /**
   * Connections of one caller at the same time: of an IPv4 address, or of the /64 of an IPv6 address. It does not apply to
   * addresses of this machine and of private networks, where a proxy stands for many callers.
   */
  readonly perAddressMax: number;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Default: what is not public. */
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
  /** It has become a WebSocket, whose owner limits it. */
  isTaken: boolean;
}

type Ended = 'room_for_others' | 'too_many_of_one_caller';

/** A request that is served for longer may have to make room. */
const SERVED_MS = 10_000;

/**
 * Decides who may stay when a server has many connections. A new connection beyond a limit takes the place of an old one:
 * first of one on which nothing is asked, then of one whose request is still arriving, then of one that is served for long;
 * among these of the caller with the most connections, and of that caller the one that has waited longest. So those that
 * hold connections cannot keep others out. Only where nobody can give way is the new connection closed.
 */
export class Door {
  readonly #options: Required<DoorOptions>;
  readonly #callers = new Map<string, Set<Guest>>();
  readonly #guests = new Map<Socket, Guest>();
  readonly #log: CountedLog<Ended>;

  /** Watches the server, for as long as it lives. */
  constructor(server: Server, options: DoorOptions) {
    this.#options = { isShared: isSharedAddress, ...options };
    this.#log = new CountedLog(options.clock, (line) => options.logger.warn(line, 'Connections were closed'));
    server.on('connection', (socket: Socket) => this.#enter(socket));
    server.on('request', (request, response) => this.#asked(request, response));
    server.on('upgrade', ({ socket }: IncomingMessage) => {
      const guest = this.#guests.get(socket);
      if (guest) guest.isTaken = true;
    });
    // The connection has had as many requests as the server grants: who sent more did not wait for answers.
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
    const { clock } = this.#options;
    const exchange = { request, sinceMs: clock.monotonic() };
    guest.exchanges.add(exchange);
    response.once('close', () => {
      guest.exchanges.delete(exchange);
      guest.sinceMs = clock.monotonic();
    });
  }

  /** Who gives way to `newcomer`; undefined when nobody can. */
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

/** The lower, the sooner a guest gives way; infinite: it stays. */
function rankOf({ isTaken, exchanges }: Guest, nowMs: number): number {
  if (isTaken) return Infinity;
  if (exchanges.size === 0) return 0;
  const all = [...exchanges];
  if (all.every(({ request }) => !request.complete)) return 1;
  return all.some(({ sinceMs }) => nowMs - sinceMs > SERVED_MS) ? 2 : Infinity;
}

/** Of two of the same rank. */
function goesBefore(guest: Guest, other: Guest): boolean {
  const more = guest.ofCaller.size - other.ofCaller.size;
  return more > 0 || (more === 0 && guest.sinceMs < other.sinceMs);
}
