import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Clock, sleep } from '../../base/clock.ts';
import { equalSecret } from '../../base/signing.ts';
import { ApiError } from '../chat/api-error.ts';
import type { Application } from '../chat/user.ts';
import type { World } from '../chat/world.ts';
import type { FaultPlan, RestFault } from '../fault-plan.ts';
import type { Exchange } from '../rest-exchange.ts';
import { type DecodedBody, decodeBody } from './decode-body.ts';
import { RateLimits } from './rate-limits.ts';
import type { Answer, Route, RouteLimit } from './route.ts';

/**
 * The maximum size of a body. It is well above Discord's limit of 25 MiB, so that a client whose request is too large
 * receives Discord's error response.
 */
const BODY_SIZE_BYTES_MAX = 48 * 1024 * 1024;
const LIMIT_DEFAULT: RouteLimit = { requests: 10, windowMs: 1000 };
const API_PREFIX = '/api/v10';

/** Options for the REST server. */
interface RestOptions {
  readonly world: World;
  readonly faults: FaultPlan;
  /** The clock that runs in real time, because clients measure rate limits in real time. */
  readonly wireClock: Clock;
  readonly observe: (exchange: Exchange) => void;
}

/** Serves REST v10 below `/api/v10`. */
export class RestServer {
  readonly #world: World;
  readonly #options: RestOptions;
  readonly #limits: RateLimits;

  constructor(options: RestOptions) {
    this.#world = options.world;
    this.#options = options;
    this.#limits = new RateLimits(options.wireClock);
  }

  /** Adds the routes to a fastify scope, whose content type parsers it replaces. */
  register(app: FastifyInstance, routes: readonly Route[]): void {
    app.removeAllContentTypeParsers();
    app.addContentTypeParser(
      '*',
      { parseAs: 'buffer', bodyLimit: BODY_SIZE_BYTES_MAX },
      (_request, body, done) => done(null, body),
    );
    for (const route of routes) {
      app.route({
        method: route.method,
        url: `${API_PREFIX}${route.path}`,
        handler: (request, reply) => this.#serve(route, request, reply),
      });
    }
  }

  async #serve(route: Route, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const what = `${route.method} ${route.path}`;
    const startMs = this.#options.wireClock.monotonic();
    const taken = this.#options.faults.takeRest(route.method, route.path);
    if (taken?.delayMs) await sleep(this.#options.wireClock, taken.delayMs);
    const fault = taken && isOnlySlow(taken) ? undefined : taken;
    const decoded: { body: DecodedBody } = { body: { json: undefined, files: [] } };
    let answer: Answer;
    if (fault && fault.moment !== 'after') {
      answer = { status: 0 };
    } else {
      answer = await this.#answer(route, what, request, reply, decoded);
    }
    if (fault?.status === 'cut') {
      request.raw.socket.destroy();
      return reply.hijack();
    }
    const sent = fault ? faultAnswer(fault, reply) : answer;
    this.#options.observe({
      method: route.method,
      path: decodeURIComponent(pathOf(request)),
      route: route.path,
      durationMs: this.#options.wireClock.monotonic() - startMs,
      query: queryOf(request),
      requestBody: decoded.body.json,
      files: decoded.body.files.map((file) => ({ name: file.name, sizeBytes: file.bytes.byteLength })),
      status: sent.status,
      responseBody: sent.body,
      injected: fault !== undefined,
    });
    reply.code(sent.status);
    if (sent.body === undefined) return reply.send();
    return reply.header('content-type', 'application/json').send(JSON.stringify(sent.body));
  }

  async #answer(
    route: Route,
    what: string,
    request: FastifyRequest,
    reply: FastifyReply,
    decoded: { body: DecodedBody },
  ): Promise<Answer> {
    try {
      const application = route.auth === 'bot' ? this.#authenticate(request) : undefined;
      const refused = this.#spendRate(route, what, request, reply, application);
      if (refused) return refused;
      this.#checkQuery(route, what, request);
      decoded.body = await decodeBody(
        Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0),
        request.headers,
      );
      return route.handle({
        world: this.#world,
        what,
        params: request.params as Record<string, string>,
        query: queryOf(request),
        body: decoded.body.json,
        files: decoded.body.files,
        application,
      });
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      const { violation, status } = error.refusal;
      if (violation) {
        const fields = error.errors ? ` ${JSON.stringify(error.errors)}` : '';
        this.#world.violations.record(violation, what, `${error.refusal.code} ${error.message}${fields}`);
      }
      return { status, body: error.body };
    }
  }

  #authenticate(request: FastifyRequest): Application {
    const token = /^Bot (.+)$/.exec(request.headers.authorization ?? '')?.[1] ?? '';
    const application = [...this.#world.applications.values()].find((candidate) =>
      equalSecret(candidate.token, token),
    );
    if (!application) throw new ApiError('unauthorized');
    return application;
  }

  #spendRate(
    route: Route,
    what: string,
    request: FastifyRequest,
    reply: FastifyReply,
    application: Application | undefined,
  ): Answer | undefined {
    if (route.limit === 'unlimited') return undefined;
    const global = application ? this.#limits.spendGlobal(application.id) : { headers: {} };
    const resource = Object.values(request.params as Record<string, string>);
    const key = [application?.id ?? '', ...resource.slice(0, route.auth === 'none' ? 2 : 1)].join(' ');
    const verdict = global.refused ? global : this.#limits.spend(what, key, route.limit ?? LIMIT_DEFAULT);
    reply.headers(verdict.headers);
    if (!verdict.refused) return undefined;
    const { retryAfterSeconds, global: isGlobal } = verdict.refused;
    this.#world.violations.record('rate_limited', what, isGlobal ? 'global' : 'route');
    return {
      status: 429,
      body: {
        message: 'You are being rate limited.',
        retry_after: Math.ceil(retryAfterSeconds * 1000) / 1000,
        global: isGlobal,
        code: 0,
      },
    };
  }

  #checkQuery(route: Route, what: string, request: FastifyRequest): void {
    for (const name of Object.keys(queryOf(request))) {
      if (!route.query?.includes(name)) {
        this.#world.violations.record('unknown_field', what, `query parameter "${name}"`);
      }
    }
  }
}

function pathOf(request: FastifyRequest): string {
  return (request.url.split('?', 1)[0] ?? '').slice(API_PREFIX.length);
}

function queryOf(request: FastifyRequest): Record<string, string> {
  return request.query as Record<string, string>;
}

function faultAnswer(fault: RestFault, reply: FastifyReply): Answer {
  const status = typeof fault.status === 'number' ? fault.status : 500;
  if (status === 429) reply.headers({ 'retry-after': '1', 'x-ratelimit-scope': 'shared' });
  reply.headers(fault.headers ?? {});
  const usual =
    status === 429
      ? { message: 'The resource is being rate limited.', retry_after: 1, global: false, code: 0 }
      : { message: `${status}: injected`, code: 0 };
  return { status, body: fault.body ?? usual };
}

function isOnlySlow(fault: RestFault): boolean {
  return fault.delayMs !== undefined && fault.status === undefined && fault.body === undefined;
}
