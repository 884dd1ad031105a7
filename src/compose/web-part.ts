import type { Clock } from '../base/clock.ts';
import type { Logger } from '../base/log.ts';
import type { Jobs } from '../bot/jobs/jobs.ts';
import { LIVE_PATH } from '../bot/sessions/live-swap/live-swap.ts';
import type { Readiness } from '../bot/web/register-health.ts';
import type { LiveSwapPages } from '../bot/web/live/live-swap-pages.ts';
import { webPlugin } from '../bot/web/web-plugin.ts';
import { type WebServer, addToHost, assertNotListening, createWebServer } from '../bot/web/web-server.ts';
import type { Basics } from './basics.ts';
import type { HostWeb, MasqueradeOptions, OwnWeb } from './masquerade-options.ts';
import { signingSecrets } from './signing-secrets.ts';
import type { WebAddresses } from './web-addresses.ts';
import { SETTING_DEFAULTS } from '../bot/settings/setting-defaults.ts';

const HOST_PREFIX = '/masquerade';

/** The parts of the bot that the routes use. */
interface ServedParts {
  readonly jobs: Jobs;
  readonly liveSwap: LiveSwapPages;
  readonly memberUrl: WebAddresses['memberUrl'];
  readonly readiness: () => Promise<Readiness>;
}

/** The web routes, in the host's server or in Masquerade's own. Nothing is served before `serve`. */
export class WebPart {
  readonly #mediaApi: MasqueradeOptions['mediaApi'];
  readonly #server: HostWeb | WebServer;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #stopping = new AbortController();
  #url: string | null = null;

  /** Registers the web part. Throws `HostServerError` if the host's server is already listening. */
  constructor({ options, owned, clock, log }: Basics) {
    const { http = {}, mediaApi } = options;
    this.#mediaApi = mediaApi;
    this.#clock = clock;
    this.#log = log;
    if ('fastify' in http) assertNotListening(http.fastify);
    this.#server = 'fastify' in http ? http : owned.use(openServer(http, log));
    owned.defer(() => this.#stopping.abort());
  }

  /** The address of Masquerade's own server, once it is listening. Null if the routes are in a host's server. */
  get url(): string | null {
    return this.#url;
  }

  /** Adds the routes to the server. Masquerade's own server then starts listening. */
  async serve({ jobs, liveSwap, memberUrl, readiness }: ServedParts): Promise<void> {
    const { signal: stopping } = this.#stopping;
    const isOpen = (): boolean => !stopping.aborted;
    const pageUrl = (): URL | null => (memberUrl ? URL.parse(memberUrl(LIVE_PATH)) : null);
    const plugin = webPlugin({
      inbox: jobs.inbox,
      results: jobs.links,
      readiness,
      headerPrefix: this.#mediaApi.headerPrefix ?? SETTING_DEFAULTS.mediaApi.headerPrefix,
      clock: this.#clock,
      log: this.#log,
      signingSecrets: () => signingSecrets(this.#mediaApi),
      isOpen,
      live: { pages: liveSwap, pageUrl, isOpen, stopping },
    });
    const server = this.#server;
    if (!('listen' in server)) return addToHost(server.fastify, plugin, server.prefix ?? HOST_PREFIX);
    await server.fastify.register(plugin);
    this.#url = await server.listen();
  }
}

function openServer(http: OwnWeb, log: Logger): WebServer {
  const { host, port, connectionsPerAddress } = { ...SETTING_DEFAULTS.web, ...http };
  return createWebServer({ host, port, connectionsPerAddress, log });
}
