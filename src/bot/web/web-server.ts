import Fastify, { type FastifyInstance } from 'fastify';
import { PageError } from '../../base/pages/built-page.ts';
import { type ListenAddress, listen } from '../../base/listen.ts';
import { isSharedAddress } from '../../base/caller-group.ts';
import { systemClock } from '../../base/clock.ts';
import { ConnectionLimiter } from '../../base/connection-limiter.ts';
import { ServiceError, systemErrorCode } from '../../base/errors.ts';
import type { Logger } from '../../base/log.ts';

/** A host's server does not take the routes. */
class HostServerError extends ServiceError<'host_refused'> {}

const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 30_000;
/** How long a connection may be idle. Live pages, which are WebSockets, have their own limits. */
const STILL_TIMEOUT_MS = 60_000;
/**
 * The most requests of one connection. Requests that a caller sends without waiting for answers are read in one piece,
 * and would all be handled before other connections get a turn.
 */
const REQUESTS_PER_SOCKET_MAX = 100;
/** The most requests of one connection that wait for an answer. Browsers and proxies wait for each answer. */
const UNANSWERED_MAX = 8;
/** How often the server checks the limits. */
const CHECK_MS = 2_000;
/** The most connections: live pages, of which there are at most half as many, and all others. */
const CONNECTIONS_MAX = 2_000;

/** Masquerade's own web server, for when there is no host server to live in. Disposing it closes it. */
export interface WebServer extends AsyncDisposable {
  readonly fastify: FastifyInstance;
  /** Binds the address and returns the server's URL. Throws `ListenError`. */
  listen(): Promise<string>;
}

interface WebServerOptions extends ListenAddress {
  /** See `ConnectionLimiterOptions`. */
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
    // A proxy in front of this server forwards the caller's address.
    trustProxy: isSharedAddress,
  });
  const limits = {
    connectionsMax: CONNECTIONS_MAX,
    perAddressMax: connectionsPerAddress,
    unansweredMax: UNANSWERED_MAX,
  };
  void new ConnectionLimiter(fastify.server, { ...limits, clock: systemClock, logger: log });
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
