import Fastify, { type FastifyInstance } from 'fastify';
import { PageError } from '../base/built-page.ts';
import { type ListenAddress, listen } from '../base/listen.ts';
import { isSharedAddress } from '../base/caller-group.ts';
import { systemClock } from '../base/clock.ts';
import { Door } from '../base/door.ts';
import { ServiceError, systemErrorCode } from '../base/errors.ts';
import type { Logger } from '../base/log.ts';

/** A host's server does not take the routes. */
export class HostServerError extends ServiceError<'host_refused'> {}

const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 30_000;
/** On a connection where nothing moves. Live pages, which are WebSockets, have limits of their own. */
const STILL_TIMEOUT_MS = 60_000;
/**
 * Requests of one connection. What a caller sends without waiting for answers is read in one piece, and would be worked off
 * before anything else gets its turn.
 */
const REQUESTS_PER_SOCKET_MAX = 100;
/** How often the limits are looked after. */
const CHECK_MS = 2_000;
/** Pages of live swaps, of which there are at most half as many, and all others. */
const CONNECTIONS_MAX = 2_000;

/** Masquerade's own web server, for when there is no host server to live in. Disposing it closes it. */
export interface WebServer extends AsyncDisposable {
  readonly fastify: FastifyInstance;
  /** Binds the address and returns the server's URL. Throws `ListenError`. */
  listen(): Promise<string>;
}

export interface WebServerOptions extends ListenAddress {
  /** See `DoorOptions`. */
  readonly connectionsPerAddress: number;
  readonly log: Logger;
}

export function createWebServer({ connectionsPerAddress, log, ...address }: WebServerOptions): WebServer {
  const fastify = Fastify({
    requestTimeout: REQUEST_TIMEOUT_MS,
    connectionTimeout: STILL_TIMEOUT_MS,
    maxRequestsPerSocket: REQUESTS_PER_SOCKET_MAX,
    http: { headersTimeout: HEADERS_TIMEOUT_MS, connectionsCheckingInterval: CHECK_MS },
    forceCloseConnections: true,
    // A proxy before this server says whom it stands for.
    trustProxy: isSharedAddress,
  });
  const limits = { connectionsMax: CONNECTIONS_MAX, perAddressMax: connectionsPerAddress };
  void new Door(fastify.server, { ...limits, clock: systemClock, logger: log });
  return {
    fastify,
    listen: async () => (await listen(fastify, address)).origin,
    [Symbol.asyncDispose]: () => fastify.close(),
  };
}

/** Throws `HostServerError` if the host's server takes no routes any more. */
export function assertNotListening(host: FastifyInstance): void {
  if (host.server.listening) throw hostRefused('it already listens');
}

/** Adds the routes to a host's server. Throws `HostServerError`, for example when some of them are there already, and `PageError`. */
export async function addToHost(
  host: FastifyInstance,
  plugin: (scope: FastifyInstance) => Promise<void>,
  prefix: string,
): Promise<void> {
  try {
    await host.register(plugin, { prefix });
  } catch (error) {
    if (error instanceof PageError) throw error;
    throw hostRefused(systemErrorCode(error) ?? 'unknown', error);
  }
}

function hostRefused(why: string, cause?: unknown): HostServerError {
  return new HostServerError('host_refused', `Cannot add routes to the host's server: ${why}`, { cause });
}
