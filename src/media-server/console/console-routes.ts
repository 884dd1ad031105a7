import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { BuiltPage } from '../../base/pages/built-page.ts';
import type { Logger } from '../../base/log.ts';
import type { MediaAdmin } from '../media-admin.ts';
import { isDirectFromLoopback } from '../http/is-direct-from-loopback.ts';
import { ApiError } from '../wire/api-error.ts';
import { type ConsoleBoard, PAGE_ROWS } from './board.ts';
import type { BoardWatch } from './board-watch.ts';
import { cookieFor, originOf, refuseOtherOrigins, tokenOf } from './caller.ts';
import { ConsoleRefusal } from './console-refusal.ts';
import type { WireLogIn, WireSignedIn } from './console-wire.ts';
import { EventStream } from './event-stream.ts';
import type { LogIns } from './log-ins.ts';
import { verbSchema } from './verb-schema.ts';
import { runVerb } from './run-verb.ts';

interface ConsoleServices {
  readonly page: BuiltPage;
  readonly admin: MediaAdmin;
  readonly board: ConsoleBoard;
  readonly watch: BoardWatch;
  readonly logIns: LogIns;
  readonly logger: Logger;
  /** The origins at which callers from other machines reach the console. */
  readonly origins: readonly string[];
}

const OFFSET_MAX = 100_000;
const ROWS_MAX = 500;
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

const logInSchema: z.ZodType<WireLogIn> = z.strictObject({ password: z.string().min(1).max(200) });
const pageSchema = z.object({
  offset: z.coerce.number().int().min(0).max(OFFSET_MAX),
  limit: z.coerce.number().int().min(1).max(ROWS_MAX).default(PAGE_ROWS),
});
const accountSchema = z.object({ account: z.string().max(100) });

/** The console's routes: its page and the page's API. They exist only for callers that `originOf` accepts. */
export function consoleRoutes(scope: FastifyInstance, services: ConsoleServices): void {
  const { page, origins } = services;
  scope.addHook('onRequest', async (request, reply) => {
    originOf(request, origins);
    void reply.header('cache-control', 'no-store').header('x-content-type-options', 'nosniff');
  });
  scope.get('', (_request, reply) => reply.redirect('/console/'));
  scope.get('/', { prefixTrailingSlash: 'slash' }, (_request, reply) =>
    reply
      .type('text/html; charset=utf-8')
      .header('content-security-policy', POLICY)
      .header('referrer-policy', 'no-referrer')
      .header('cross-origin-opener-policy', 'same-origin')
      .send(page.html('/console/')),
  );
  page.serveAssets(scope);
  void scope.register(async (api) => apiRoutes(api, services), { prefix: '/api' });
}

function apiRoutes(api: FastifyInstance, services: ConsoleServices): void {
  const { origins, logIns, watch, logger } = services;
  api.setErrorHandler((error: unknown, _request, reply) => sendRefusal(reply, error, logger));
  api.addHook('onRequest', async (request) => refuseOtherOrigins(request, originOf(request, origins)));
  api.get('/session', (request): WireSignedIn => ({
    signedIn: logIns.holds(tokenOf(request)),
    isFull: watch.isFull,
  }));
  api.post('/session', async (request, reply) => {
    const { password } = read(logInSchema, request.body);
    const caller = { isLocal: isDirectFromLoopback(request), address: request.ip };
    const token = await logIns.logIn(password, caller);
    // A browser has at most one log-in, so its previous one ends.
    logIns.logOut(tokenOf(request));
    return await withCookie(request, reply, token);
  });
  void api.register(async (inside) => {
    inside.addHook('onRequest', async (request) => {
      if (!logIns.holds(tokenOf(request))) {
        throw new ConsoleRefusal('signed_out', 'You are logged out. Please log in again.');
      }
    });
    insideRoutes(inside, services);
    inside.delete('/session', async (request, reply) => {
      logIns.logOut(tokenOf(request));
      watch.look();
      return await withCookie(request, reply, '');
    });
  });

  function withCookie(request: FastifyRequest, reply: FastifyReply, token: string): FastifyReply {
    return reply
      .code(204)
      .header('set-cookie', cookieFor(request, token, originOf(request, origins)))
      .send();
  }
}

/** The routes that require a log-in. */
function insideRoutes(inside: FastifyInstance, services: ConsoleServices): void {
  const { admin, board, watch, logIns } = services;
  inside.get('/events', (request, reply) => {
    const token = tokenOf(request);
    const stream = new EventStream(reply.raw, () => logIns.holds(token));
    watch.add(stream);
    reply.hijack();
    reply.raw.once('close', () => watch.remove(stream));
  });
  for (const [name, readPage] of Object.entries(board.lists)) {
    inside.get(`/lists/${name}`, (request) => readPage(read(pageSchema, request.query)));
  }
  inside.get('/balance', (request) => {
    const balance = board.balance(read(accountSchema, request.query).account);
    if (!balance) throw new ConsoleRefusal('refused', 'There is no such account. Please reload the page.');
    return balance;
  });
  inside.post('/verbs', (request) => {
    const verb = read(verbSchema, request.body);
    const answer = runVerb(admin, verb);
    if (verb.verb === 'new_password') logIns.keep(tokenOf(request));
    watch.look();
    return answer;
  });
}

function read<T>(schema: z.ZodType<T>, value: unknown): T {
  const { data, success } = schema.safeParse(value);
  if (success) return data;
  throw new ConsoleRefusal('refused', 'This cannot be understood. Please reload the page and try again.');
}

function sendRefusal(reply: FastifyReply, error: unknown, logger: Logger): FastifyReply {
  if (error instanceof ApiError) return reply.code(error.status).send(error.envelope);
  const refusal = toRefusal(error, logger);
  const { retryAfterSeconds } = refusal;
  if (retryAfterSeconds !== undefined) void reply.header('retry-after', retryAfterSeconds);
  return reply.code(refusal.status).send(refusal.body);
}

function toRefusal(error: unknown, logger: Logger): ConsoleRefusal {
  if (error instanceof ConsoleRefusal) return error;
  const status = error instanceof Error ? (error as FastifyError).statusCode : undefined;
  if (status !== undefined && status < 500) {
    return new ConsoleRefusal('refused', 'This cannot be understood. Please reload the page and try again.');
  }
  logger.error({ error }, 'A request of the console failed');
  return new ConsoleRefusal('failed', 'Something failed on our side. Please try again.', { cause: error });
}
