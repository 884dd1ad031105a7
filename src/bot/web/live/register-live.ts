import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { isKey, passCookie } from './pass-cookie.ts';
import { LiveSockets, SOCKET_PATHS } from './live-sockets.ts';
import { serveLivePages } from './serve-live-pages.ts';
import type { LiveWeb } from './live-web.ts';
import type { EnterRefusal, EnterRequest } from './live-wire.ts';
import { toJson } from './page-messages.ts';
import { takeUpgrades } from './take-upgrades.ts';

const BODY_BYTES_MAX = 1_024;
const enterRequest: z.ZodType<EnterRequest> = z.strictObject({ key: z.string().refine(isKey) });
const HEADERS = { 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' };

/** Registers the pages, `POST live/enter` and the WebSockets; see `live-wire.ts`. Throws `PageError`. */
export async function registerLive(scope: FastifyInstance, web: LiveWeb): Promise<void> {
  await serveLivePages(scope);
  const refusal = (code: EnterRefusal['error']['code']): EnterRefusal => ({ error: { code } });
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser(
    'application/json',
    { parseAs: 'string', bodyLimit: BODY_BYTES_MAX },
    (_request, body, done) => done(null, toJson(String(body))),
  );
  scope.setErrorHandler((error: { statusCode?: number }, _request, reply) => {
    const isOurs = (error.statusCode ?? 500) >= 500;
    return reply.code(error.statusCode ?? 500).send(refusal(isOurs ? 'stopped' : 'malformed'));
  });
  scope.post('/live/enter', { bodyLimit: BODY_BYTES_MAX }, async (request, reply) => {
    reply.headers(HEADERS);
    const url = web.pageUrl();
    if (!url) return reply.code(503).send(refusal('stopped'));
    if (request.headers.origin !== url.origin) return reply.code(403).send(refusal('foreign'));
    const body = enterRequest.safeParse(request.body);
    if (!body.success) return reply.code(400).send(refusal('malformed'));
    const pass = web.pages.enter(body.data.key);
    if (pass === null) return reply.code(404).send(refusal('gone'));
    return reply.header('set-cookie', passCookie(pass, url)).send({});
  });
  const sockets = new LiveSockets(web, scope.prefix);
  const taken = takeUpgrades(scope.server, sockets);
  for (const path of SOCKET_PATHS) {
    scope.get(path, (request, reply) => {
      // A host's own WebSocket plugin may also pass upgrade requests to the routes. Our upgrade handler has already
      // taken over this request and answers it.
      if (taken.has(request.raw)) return reply.hijack();
      return reply.code(426).headers({ connection: 'close', upgrade: 'websocket' }).send();
    });
  }
  const stop = (): void => {
    taken[Symbol.dispose]();
    sockets[Symbol.dispose]();
  };
  web.stopping.addEventListener('abort', stop, { once: true });
  scope.addHook('preClose', async () => stop());
}
