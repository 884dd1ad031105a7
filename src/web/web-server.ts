import Fastify, { type FastifyInstance } from 'fastify';
import { type ListenAddress, listen } from '../base/listen.ts';

const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 30_000;
const CONNECTIONS_MAX = 1_000;

/** Masquerade's own web server, for when there is no host server to live in. Disposing it closes it. */
export interface WebServer extends AsyncDisposable {
  readonly fastify: FastifyInstance;
  /** Binds the address and returns the server's URL. Throws `ListenError`. */
  listen(): Promise<string>;
}

export function createWebServer(address: ListenAddress): WebServer {
  const fastify = Fastify({ requestTimeout: REQUEST_TIMEOUT_MS, forceCloseConnections: true });
  fastify.server.headersTimeout = HEADERS_TIMEOUT_MS;
  fastify.server.maxConnections = CONNECTIONS_MAX;
  return {
    fastify,
    listen: async () => (await listen(fastify, address)).origin,
    [Symbol.asyncDispose]: () => fastify.close(),
  };
}
