import { type FastifyInstance, fastify } from 'fastify';
import { systemErrorCode } from '../base/errors.ts';
import type { Logger } from '../base/log.ts';
import { ApiError } from './chat/api-error.ts';
import type { World } from './chat/world.ts';

/** Creates the HTTP server without routes. It answers an unknown route with Discord's 404 and records a violation. */
export function createHttpApp(world: World, logger: Logger): FastifyInstance {
  const app = fastify({
    forceCloseConnections: true,
    // discord.js percent-encodes the `@` of `@original` and `@me`, which the router would not match.
    rewriteUrl: ({ url = '/' }) => url.replaceAll('%40', '@'),
    routerOptions: { maxParamLength: 500 },
  });
  app.setNotFoundHandler((request, reply) => {
    world.violations.record('unknown_route', request.method, pathWithoutToken(request.url));
    return reply.code(404).send(new ApiError('unknownRoute').body);
  });
  app.setErrorHandler((error, request, reply) => {
    const detail = error instanceof Error ? error.message : 'unknown';
    const what = `${request.method} ${request.routeOptions.url ?? ''}`;
    if (systemErrorCode(error) === 'FST_ERR_CTP_BODY_TOO_LARGE') {
      world.violations.record('broken_rule', what, 'Request entity too large');
      return reply.code(413).send(new ApiError('entityTooLarge').body);
    }
    world.violations.record('sandbox_error', what, detail);
    logger.error({ error, what }, 'Cannot answer a request');
    return reply.code(500).send({ message: '500: Internal Server Error', code: 0 });
  });
  return app;
}

function pathWithoutToken(url: string): string {
  const path = url.split('?', 1)[0] ?? '';
  return path.replace(/(\/(?:webhooks|interactions)\/[^/]+\/)[^/]+/, '$1:token');
}
