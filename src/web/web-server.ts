import type { AddressInfo } from 'node:net';
import Fastify, { type FastifyInstance } from 'fastify';
import { ServiceError, systemErrorCode } from '../base/errors.ts';

/** The web part could not be opened. */
export class WebError extends ServiceError<'port_in_use' | 'not_listening' | 'host_refused'> {}

export interface WebServerOptions {
  readonly host: string;
  /** 0 picks a free one. */
  readonly port: number;
}

const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 30_000;
const CONNECTIONS_MAX = 1_000;

/** Masquerade's own web server, for when there is no host server to live in. Disposing it closes it. */
export interface WebServer extends AsyncDisposable {
  readonly fastify: FastifyInstance;
  /** Binds the address and returns the server's URL. Throws `WebError`. */
  listen(): Promise<string>;
}

export function createWebServer(options: WebServerOptions): WebServer {
  const fastify = Fastify({ requestTimeout: REQUEST_TIMEOUT_MS, forceCloseConnections: true });
  fastify.server.headersTimeout = HEADERS_TIMEOUT_MS;
  fastify.server.maxConnections = CONNECTIONS_MAX;
  return {
    fastify,
    listen: () => listen(fastify, options),
    [Symbol.asyncDispose]: () => fastify.close(),
  };
}

/** Throws `WebError` if the host's server takes no routes any more. */
export function assertNotListening(host: FastifyInstance): void {
  if (host.server.listening) throw hostRefused('it already listens');
}

/** Adds the routes to a host's server. Throws `WebError`, for example when some of them are there already. */
export async function addToHost(
  host: FastifyInstance,
  plugin: (scope: FastifyInstance) => Promise<void>,
  prefix: string,
): Promise<void> {
  try {
    await host.register(plugin, { prefix });
  } catch (error) {
    throw hostRefused(systemErrorCode(error) ?? 'unknown', error);
  }
}

function hostRefused(why: string, cause?: unknown): WebError {
  return new WebError('host_refused', `Cannot add routes to the host's server: ${why}`, { cause });
}

async function listen(fastify: FastifyInstance, { host, port }: WebServerOptions): Promise<string> {
  try {
    await fastify.listen({ host, port });
  } catch (error) {
    const code = systemErrorCode(error);
    if (code === 'EADDRINUSE') {
      throw new WebError('port_in_use', `Cannot listen on ${host}:${port}: the port is in use`);
    }
    throw new WebError('not_listening', `Cannot listen on ${host}:${port}: ${code ?? 'unknown'}`, {
      cause: error,
    });
  }
  const address = fastify.server.address() as AddressInfo;
  return `http://${host.includes(':') ? `[${host}]` : host}:${address.port}`;
}
