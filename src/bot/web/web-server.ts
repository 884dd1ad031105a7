import Fastify, { type FastifyInstance } from 'fastify';
import { PageError } from '../../base/pages/built-page.ts';
import { type ListenAddress, listen } from '../../base/listen.ts';
import { isSharedAddress } from '../../base/caller-group.ts';
import { systemClock } from '../../base/clock.ts';
import { ConnectionLimiter } from '../../base/connection-limiter.ts';
import { ServiceError, systemErrorCode } from '../../base/errors.ts';
import type { Logger } from '../../base/log.ts';

/** A host's server does not accept the routes. */
class HostServerError extends ServiceError<'host_refused'> {}

const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 30_000;
/** The longest idle time of a connection. Live pages, which use WebSockets, have limits of their own. */
const STILL_TIMEOUT_MS = 60_000;
/**
 * The largest number of requests on one connection. Requests that a caller sends without waiting for answers are read
 * together, and would all be handled before those of other connections.
 */
const REQUESTS_PER_SOCKET_MAX = 100;
/** The largest number of unanswered requests on one connection. Browsers and proxies wait for each answer. */
const UNANSWERED_MAX = 8;
/** Interval at which the server checks its limits. */
const CHECK_MS = 2_000;
/** The largest number of connections, at most half of which may be live pages. */
const CONNECTIONS_MAX = 2_000;

/** Masquerade's own web server, which is used if the host does not provide one. Disposing it closes it. */
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
    // A proxy at a local or private address is trusted to forward the caller's address.
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

/** Throws `HostServerError` if the host's server no longer accepts routes. */
export function assertNotListening(host: FastifyInstance): void {
  if (host.server.listening) throw hostRefused('it is already listening');
}

/**
 * Adds the routes to a host's server. Throws `PageError`, or `HostServerError`, for example if some of the routes exist
 * already.
 */
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
