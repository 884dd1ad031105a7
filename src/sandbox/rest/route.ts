import type { z } from 'zod';
import { ApiError } from '../chat/api-error.ts';
import type { Upload } from '../chat/attachment.ts';
import { parseBody } from '../chat/parse-body.ts';
import type { Application } from '../chat/user.ts';
import type { World } from '../chat/world.ts';

/** A request after authentication, rate limits and decoding. */
export interface Call {
  readonly world: World;
  /** The method and the route, in the form `METHOD /route/:template`. */
  readonly what: string;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  readonly body: unknown;
  readonly files: readonly Upload[];
  /** The application whose token was sent; undefined on routes that need no token. */
  readonly application: Application | undefined;
}

/** The status of a response and, unless its body is empty, the body as JSON. */
export interface Answer {
  readonly status: number;
  readonly body?: unknown;
}

/** The number of requests allowed per window for each resource (the first id in the path). */
export interface RouteLimit {
  readonly requests: number;
  readonly windowMs: number;
}

/** One method and path of the API. */
export interface Route {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** The path below `/api/v10`, with fastify's `:name` parameters. */
  readonly path: string;
  /** `bot`: a valid token is needed. `none`: tokens are ignored, and the global limit does not apply. */
  readonly auth: 'bot' | 'none';
  readonly limit?: RouteLimit | 'unlimited';
  /** The query parameters that Discord accepts on this route. */
  readonly query?: readonly string[];
  readonly handle: (call: Call) => Answer;
}

/** Returns the path parameter `name`. Routes declare their parameters, so a missing one is a programming error. */
export function param(call: Call, name: string): string {
  const value = call.params[name];
  if (value === undefined) throw new TypeError(`Cannot read path parameter "${name}" of ${call.what}`);
  return value;
}

/** Returns the application whose token was sent. Throws `401` if no token was sent. */
export function caller(call: Call): Application {
  if (!call.application) throw new ApiError('unauthorized');
  return call.application;
}

/** Returns the parsed body. Throws `Invalid Form Body` if it does not match `schema`. */
export function bodyOf<T>(call: Call, schema: z.ZodType<T>): T {
  return parseBody(schema, call.body ?? {}, { what: call.what, violations: call.world.violations });
}
