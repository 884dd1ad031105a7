import type { z } from 'zod';
import { ApiError } from '../chat/api-error.ts';
import type { Upload } from '../chat/attachment.ts';
import { parseBody } from '../chat/parse-body.ts';
import type { Application } from '../chat/user.ts';
import type { World } from '../chat/world.ts';

/** A request after authentication, rate limits and decoding. */
export interface Call {
  readonly world: World;
  /** `METHOD /route/:template`. */
  readonly what: string;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  readonly body: unknown;
  readonly files: readonly Upload[];
  /** Whose token was sent; undefined on routes that need none. */
  readonly application: Application | undefined;
}

/** A status and, unless it is empty, the JSON that goes with it. */
export interface Answer {
  readonly status: number;
  readonly body?: unknown;
}

/** Requests allowed per window and per resource (the first id of the path). */
export interface RouteLimit {
  readonly requests: number;
  readonly windowMs: number;
}

/** One method and path of the API. */
export interface Route {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Below `/api/v10`, with fastify's `:name` parameters. */
  readonly path: string;
  /** `bot`: a valid token is needed. `none`: none is looked at, and the global limit does not count. */
  readonly auth: 'bot' | 'none';
  readonly limit?: RouteLimit | 'unlimited';
  /** The query parameters that Discord knows here. */
  readonly query?: readonly string[];
  readonly handle: (call: Call) => Answer;
}

/** The path parameter `name`; routes declare theirs, so a missing one is a programmer's mistake. */
export function param(call: Call, name: string): string {
  const value = call.params[name];
  if (value === undefined) throw new TypeError(`Cannot read path parameter "${name}" of ${call.what}`);
  return value;
}

/** The application whose token was sent. Throws `401` when there is none. */
export function caller(call: Call): Application {
  if (!call.application) throw new ApiError('unauthorized');
  return call.application;
}

/** The parsed body; throws `Invalid Form Body`. */
export function bodyOf<T>(call: Call, schema: z.ZodType<T>): T {
  return parseBody(schema, call.body ?? {}, { what: call.what, violations: call.world.violations });
}
