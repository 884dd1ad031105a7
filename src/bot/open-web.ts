import type { Jobs } from '../jobs/jobs.ts';
import type { Readiness } from '../web/health.ts';
import { webPlugin } from '../web/web-plugin.ts';
import { addToHost, assertNotListening, createWebServer } from '../web/web-server.ts';
import type { Parts } from './parts.ts';
import { signingSecrets } from './signing-secrets.ts';

const HOST_PREFIX = '/masquerade';
const PORT = 3000;

/** The routes, in the host's server or in one of their own. */
export interface WebPart {
  serve(jobs: Jobs, readiness: () => Promise<Readiness>): Promise<void>;
  /** Of its own server, once it listens; null in a host's. */
  url(): string | null;
}

/** Nothing is served, and nothing added to a host's server, before `serve`. */
export function openWeb(parts: Parts): WebPart {
  const { options, owned, clock, log } = parts;
  const { http = {}, mediaApi } = options;
  const host = 'fastify' in http ? http : undefined;
  if (host) assertNotListening(host.fastify);
  const own =
    'fastify' in http
      ? undefined
      : owned.use(createWebServer({ host: http.host ?? '127.0.0.1', port: http.port ?? PORT }));
  let url: string | null = null;
  let isOpen = true;
  owned.defer(() => (isOpen = false));
  return {
    url: () => url,
    async serve(jobs, readiness) {
      const { headerPrefix = 'Service' } = mediaApi;
      const plugin = webPlugin({
        inbox: jobs.inbox,
        results: jobs.links,
        readiness,
        headerPrefix,
        clock,
        log,
        signingSecrets: () => signingSecrets(mediaApi),
        isOpen: () => isOpen,
      });
      if (host) await addToHost(host.fastify, plugin, host.prefix ?? HOST_PREFIX);
      await own?.fastify.register(plugin);
      url = (await own?.listen()) ?? null;
    },
  };
}
