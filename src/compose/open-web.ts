import { LIVE_PATH } from '../bot/sessions/live-swap/live-swap.ts';
import type { MasqueradeOptions } from './masquerade-options.ts';
import { webPlugin } from '../bot/web/web-plugin.ts';
import { addToHost, assertNotListening, createWebServer } from '../bot/web/web-server.ts';
import { memberUrl } from './addresses.ts';
import type { Basics } from './basics.ts';
import { signingSecrets } from './signing-secrets.ts';
import type { WebPart } from './web-part.ts';

const HOST_PREFIX = '/masquerade';
const PORT = 3000;
const CONNECTIONS_PER_ADDRESS = 100;

/** Nothing is served, and nothing added to a host's server, before `serve`. */
export function openWeb(parts: Basics): WebPart {
  const { options, owned, clock, log } = parts;
  const { http = {}, mediaApi } = options;
  const host = 'fastify' in http ? http : undefined;
  if (host) assertNotListening(host.fastify);
  const own =
    'fastify' in http
      ? undefined
      : owned.use(
          createWebServer({
            host: http.host ?? '127.0.0.1',
            port: http.port ?? PORT,
            connectionsPerAddress: http.connectionsPerAddress ?? CONNECTIONS_PER_ADDRESS,
            log,
          }),
        );
  let url: string | null = null;
  const stopping = new AbortController();
  const { signal } = stopping;
  const isOpen = (): boolean => !signal.aborted;
  owned.defer(() => stopping.abort());
  const part: WebPart = {
    url: () => url,
    async serve(jobs, live, readiness) {
      const { headerPrefix = 'Service' } = mediaApi;
      const plugin = webPlugin({
        inbox: jobs.inbox,
        results: jobs.links,
        readiness,
        headerPrefix,
        clock,
        log,
        signingSecrets: () => signingSecrets(mediaApi),
        isOpen,
        live: { pages: live, pageUrl: () => pageUrl(options, part), isOpen, stopping: signal },
      });
      if (host) await addToHost(host.fastify, plugin, host.prefix ?? HOST_PREFIX);
      await own?.fastify.register(plugin);
      url = (await own?.listen()) ?? null;
    },
  };
  return part;
}

/** Where members have the page of a live swap; null where they cannot reach it. */
function pageUrl(options: MasqueradeOptions, part: WebPart): URL | null {
  const toUrl = memberUrl(options, part);
  return toUrl ? URL.parse(toUrl(LIVE_PATH)) : null;
}
