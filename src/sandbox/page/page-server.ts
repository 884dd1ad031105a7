import { type FastifyInstance, fastify } from 'fastify';
import { systemClock } from '../../base/clock.ts';
import { ConnectionLimiter } from '../../base/connection-limiter.ts';
import { limitExchange } from '../../base/limit-exchange.ts';
import { listen } from '../../base/listen.ts';
import type { Logger } from '../../base/log.ts';
import type { Upgrade } from '../gateway/gateway-server.ts';
import { refuseUpgrade } from '../refuse-upgrade.ts';
import { PageGuard } from './page-guard.ts';

/** The address at which the chat page is served to a trusted network. */
export interface PageServerOptions {
  /** An address or name of this machine to listen on. */
  readonly host: string;
  /** Default 0, which means any free port. */
  readonly port?: number;
  /** The URL for browsers, such as a proxy's `https://chat.example`. Default `http://host:port`. */
  readonly url?: string;
}

/** The routes and the socket of the page. */
interface PageRoutes {
  /** Adds all routes. */
  readonly register: (app: FastifyInstance, guard: PageGuard) => Promise<void>;
  /** The path of the page's socket. */
  readonly livePath: string;
  readonly upgrade: (guard: PageGuard) => Upgrade;
}

const CONNECTIONS_MAX = 256;
const CONNECTIONS_PER_ADDRESS_MAX = 64;
/** The maximum number of unanswered requests on one connection. Browsers and proxies send only one at a time. */
const UNANSWERED_MAX = 8;
/** The time limit for receiving a request, including an upload. */
const REQUEST_MS_MAX = 120_000;
const HEADERS_MS_MAX = 10_000;
/** How long a connection may be idle. The page's WebSockets have their own limits. */
const IDLE_MS_MAX = 60_000;
/** The interval at which the server checks these time limits. */
const CHECK_MS = 2_000;

/**
 * A separate HTTP server for the chat page and its data, at exactly one address. The API for bots stays on loopback.
 */
export class PageServer implements AsyncDisposable {
  readonly guard: PageGuard = new PageGuard({ origin: () => this.#origin, isOpen: true });
  readonly #app = fastify({
    forceCloseConnections: true,
    requestTimeout: REQUEST_MS_MAX,
    connectionTimeout: IDLE_MS_MAX,
    http: { headersTimeout: HEADERS_MS_MAX, connectionsCheckingInterval: CHECK_MS },
    routerOptions: { maxParamLength: 500 },
  });
  readonly #logger: Logger;
  #origin = '';

  constructor(logger: Logger) {
    this.#logger = logger;
    const app = this.#app;
    const limits = {
      connectionsMax: CONNECTIONS_MAX,
      perAddressMax: CONNECTIONS_PER_ADDRESS_MAX,
      unansweredMax: UNANSWERED_MAX,
    };
    void new ConnectionLimiter(app.server, { ...limits, clock: systemClock, logger });
    app.addHook('onRequest', async (request, reply) => {
      limitExchange(request, reply, { answerMs: REQUEST_MS_MAX, clock: systemClock });
      if (this.guard.isOwnHost(request.raw)) return undefined;
      return reply.code(403).type('text/plain').send('Not for this address');
    });
    app.setNotFoundHandler((_request, reply) => reply.code(404).send());
    app.setErrorHandler((error, request, reply) => {
      logger.error({ error, route: request.routeOptions.url }, 'Cannot answer the chat page');
      return reply.code(500).send();
    });
  }

  /** Starts to listen. Throws `ListenError` if the address is not available. */
  async open({ host, port = 0, url }: PageServerOptions, behind: PageRoutes): Promise<void> {
    const app = this.#app;
    await behind.register(app, this.guard);
    const take = behind.upgrade(this.guard);
    app.server.on('upgrade', (request, socket, head) => {
      if ((request.url ?? '').split('?', 1)[0] === behind.livePath) take(request, socket, head);
      else refuseUpgrade(socket, '404 Not Found');
    });
    const bound = await listen(app, { host, port });
    const named = host.includes(':') ? `[${host}]` : host;
    this.#origin = new URL(url ?? `http://${named}:${bound.port}`).origin;
    this.#logger.warn(
      { chat: this.#origin },
      'The chat page is open beyond this machine: anyone who can reach its address can act as any member. Use it only in a trusted network',
    );
  }

  /** Ends all requests. The caller must have closed the page's sockets. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#app.close();
  }
}
