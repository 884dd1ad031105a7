import type { IncomingMessage } from 'node:http';
import fastify, { type FastifyError, type FastifyInstance, type FastifyReply } from 'fastify';
import { isSharedAddress } from '../../base/caller-group.ts';
import { systemClock } from '../../base/clock.ts';
import { ConnectionLimiter } from '../../base/connection-limiter.ts';
import { limitExchange } from '../../base/limit-exchange.ts';
import type { Logger } from '../../base/log.ts';
import { ApiError, invalidInput } from '../wire/api-error.ts';
import { BrokenRequests } from './broken-requests.ts';
import { balanceRoutes } from './routes/balance.ts';
import { fileRoutes } from './routes/files.ts';
import { healthRoutes } from './routes/health.ts';
import { jobRoutes } from './routes/jobs.ts';
import { metricsRoutes } from './routes/metrics.ts';
import { pricingRoutes } from './routes/pricing.ts';
import { sessionRoutes } from './routes/sessions.ts';
import { submitRoutes } from './routes/submits.ts';
import { uploadRoutes } from './routes/uploads.ts';
import { usageRoutes } from './routes/usage.ts';
import { previewRoutes, voiceRoutes } from './routes/voices.ts';
import type { Services } from './services.ts';
import { isStreamUpgrade, acceptStreams } from './stream-upgrades.ts';

const JSON_BODY_BYTES_MAX = 65_536;
const HEADER_BYTES_MAX = 16_384;
const CONNECTIONS_MAX = 1_024;
const CONNECTIONS_PER_ADDRESS_MAX = 256;
const REQUESTS_PER_SOCKET_MAX = 1_000;
/**
 * The largest number of requests on one connection that wait for an answer. Well-behaved clients and proxies
 * wait for each answer.
 */
const UNANSWERED_MAX = 16;
const HEADERS_TIMEOUT_MS = 15_000;
/** The time limit for uploads: enough for 500 MB at 0.5 MB/s. */
const REQUEST_TIMEOUT_MS = 1_000_000;
/** The time limit for all other requests. */
const ANSWER_MS_MAX = 30_000;
const UPLOADS = '/api/v1/uploads';
const IDLE_TIMEOUT_MS = 60_000;
/** The interval at which the server checks the time limits. */
const CHECK_MS = 2_000;
/** How long a rejected sender may continue to send while it reads the answer. */
const LINGER_MS = 5_000;

/**
 * Builds the HTTP application, which does not listen yet. Every error is answered with the error envelope.
 */
export function buildApp(services: Services): FastifyInstance {
  const { db, logger, metrics } = services;
  const broken = new BrokenRequests();
  const codes = new WeakMap<FastifyReply, string>();
  const sendError = (reply: FastifyReply, error: ApiError): FastifyReply => {
    codes.set(reply, error.code);
    return writeError(reply, error);
  };
  const app = fastify({
    logger: false,
    bodyLimit: JSON_BODY_BYTES_MAX,
    connectionTimeout: IDLE_TIMEOUT_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    maxRequestsPerSocket: REQUESTS_PER_SOCKET_MAX,
    keepAliveTimeout: IDLE_TIMEOUT_MS,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    routerOptions: { maxParamLength: HEADER_BYTES_MAX },
    // A proxy in front of this server forwards the caller's address.
    trustProxy: isSharedAddress,
    http: {
      maxHeaderSize: HEADER_BYTES_MAX,
      headersTimeout: HEADERS_TIMEOUT_MS,
      connectionsCheckingInterval: CHECK_MS,
      shouldUpgradeCallback: isStreamUpgrade,
    },
    frameworkErrors: (_error, _request, reply) => void sendError(reply, invalidInput('The URL is malformed')),
    clientErrorHandler: (_error, socket) => {
      metrics.requests.add({ route: 'none', status: '400', code: 'invalid_input' });
      broken.answer(socket);
    },
  });
  const limits = {
    connectionsMax: CONNECTIONS_MAX,
    perAddressMax: CONNECTIONS_PER_ADDRESS_MAX,
    unansweredMax: UNANSWERED_MAX,
  };
  void new ConnectionLimiter(app.server, { ...limits, clock: systemClock, logger });
  broken.watch(app.server);
  acceptStreams(app.server, services);
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    'application/json',
    { parseAs: 'string' },
    app.getDefaultJsonParser('error', 'error'),
  );
  app.setErrorHandler((error: unknown, _request, reply) => sendError(reply, toApiError(error, logger)));
  app.setNotFoundHandler(() => {
    throw new ApiError('not_found', 'No such resource');
  });
  app.addHook('onRequest', async (request, reply) => {
    const answerMs = request.routeOptions.url === UPLOADS ? REQUEST_TIMEOUT_MS : ANSWER_MS_MAX;
    limitExchange(request, reply, { answerMs, clock: systemClock });
  });
  app.addHook('onSend', async (_request, reply) => {
    if (!app.server.listening) void reply.header('connection', 'close');
  });
  app.addHook('onResponse', async (request, reply) => {
    limitLinger(request.raw);
    const fields = { method: request.method, route: request.routeOptions.url ?? 'none' };
    const code = codes.get(reply) ?? 'ok';
    metrics.requests.add({ route: fields.route, status: String(reply.statusCode), code });
    logger.debug({ ...fields, status: reply.statusCode, tookMs: reply.elapsedTime }, 'Answered a request');
  });
  healthRoutes(app, db);
  metricsRoutes(app, metrics);
  void app.register(async (api) => apiRoutes(api, services), { prefix: '/api/v1' });
  return app;
}

/**
 * Adds the API routes. Most of them, and all unknown paths, require a key. Signed links, voice previews and pricing do
 * not.
 */
function apiRoutes(api: FastifyInstance, services: Services): void {
  const { gate } = services;
  void api.register(async (keyed) => {
    keyed.addHook('onRequest', async (request) => gate.admit(request));
    keyed.setNotFoundHandler(() => {
      throw new ApiError('not_found', 'No such resource');
    });
    uploadRoutes(keyed, services);
    submitRoutes(keyed, services);
    jobRoutes(keyed, services);
    balanceRoutes(keyed, services);
    usageRoutes(keyed, services);
    sessionRoutes(keyed, services);
    voiceRoutes(keyed, services);
  });
  void api.register(async (optional) => {
    optional.addHook('onRequest', async (request) => gate.admitIfKeyed(request));
    pricingRoutes(optional, services);
  });
  void api.register(async (open) => {
    fileRoutes(open, services);
    previewRoutes(open, services);
  });
}

function writeError(reply: FastifyReply, error: ApiError): FastifyReply {
  if (error.retryAfterSeconds !== undefined) void reply.header('retry-after', error.retryAfterSeconds);
  return reply.code(error.status).type('application/json').send(error.envelope);
}

/**
 * Returns an `ApiError` as it is, requests that the framework rejects (bad JSON, too large, wrong type) as
 * `invalid_input`, and all other errors as internal ones.
 */
function toApiError(error: unknown, logger: Logger): ApiError {
  if (error instanceof ApiError) return error;
  const status = error instanceof Error ? (error as FastifyError).statusCode : undefined;
  if (status !== undefined && status >= 400 && status < 500) {
    return new ApiError('invalid_input', 'The body is not an acceptable JSON document', { cause: error });
  }
  logger.error({ error }, 'A request failed');
  return new ApiError('internal_error', 'Something failed on our side; nothing was billed', { cause: error });
}

/**
 * An answer may be sent while its request is still arriving. Closing at once would cut the answer off, so the rest of
 * the request is read and dropped for a few seconds. The limit is in real time, because sockets use real time.
 */
function limitLinger(request: IncomingMessage): void {
  if (request.complete || request.socket.destroyed) return;
  const timer = systemClock.after(LINGER_MS, () => request.socket.destroy(), { background: true });
  request.once('close', () => timer.cancel());
}
