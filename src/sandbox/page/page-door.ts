import { type FastifyInstance, fastify } from 'fastify';
import { systemClock } from '../../base/clock.ts';
import { Door } from '../../base/door.ts';
import { limitExchange } from '../../base/limit-exchange.ts';
import { listen } from '../../base/listen.ts';
import type { Logger } from '../../base/log.ts';
import type { Upgrade } from '../gateway/gateway-server.ts';
import { refuseUpgrade } from '../refuse-upgrade.ts';
import { PageGuard } from './page-guard.ts';

/** Where the chat page is opened to a trusted network. */
export interface PageDoorOptions {
  /** An address or name of this machine to listen on. */
  readonly host: string;
  /** Default 0: any free port. */
  readonly port?: number;
  /** How browsers reach it, such as `https://chat.example` of a proxy. Default `http://host:port`. */
  readonly url?: string;
}

/** What is behind a door. */
interface BehindDoor {
  /** Adds all routes. */
  readonly register: (app: FastifyInstance, guard: PageGuard) => Promise<void>;
  /** Answers the page's socket, at this path. */
  readonly livePath: string;
  readonly upgrade: (guard: PageGuard) => Upgrade;
}

const CONNECTIONS_MAX = 256;
const CONNECTIONS_PER_ADDRESS_MAX = 64;
/** The most requests of one connection that wait for an answer. Browsers and proxies wait for each answer. */
const UNANSWERED_MAX = 8;
/** Until a request is read, its upload included. */
const REQUEST_MS_MAX = 120_000;
const HEADERS_MS_MAX = 10_000;
/** How long a connection may be idle. The page's WebSockets have their own limits. */
const STILL_MS_MAX = 60_000;
/** How often the server checks the limits. */
const CHECK_MS = 2_000;

/**
 * An HTTP server of its own for the chat page and what it needs, by exactly one address. What bots use stays on loopback.
 */
export class PageDoor implements AsyncDisposable {
  readonly guard: PageGuard = new PageGuard({ origin: () => this.#origin, isOpen: true });
  readonly #app = fastify({
    forceCloseConnections: true,
    requestTimeout: REQUEST_MS_MAX,
    connectionTimeout: STILL_MS_MAX,
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
    void new Door(app.server, { ...limits, clock: systemClock, logger });
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

  /** Listens. Throws `ListenError` when it cannot have the address. */
  async open({ host, port = 0, url }: PageDoorOptions, behind: BehindDoor): Promise<void> {
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
      'The chat page is open beyond this machine: whoever reaches its address acts as any member there. Only for a network that you trust',
    );
  }

  /** Ends every request; the page's sockets are to be ended before. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#app.close();
  }
}
