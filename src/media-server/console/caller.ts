import type { FastifyRequest } from 'fastify';
import { isDirectFromLoopback } from '../http/direct-caller.ts';
import { ApiError } from '../wire/api-error.ts';
import { ConsoleRefusal } from './console-refusal.ts';
import { LOG_IN_SECONDS } from './log-ins.ts';

const TOKEN_LENGTH_MAX = 100;

/**
 * The origin under which the caller sees the console: loopback for a direct caller from this machine, or else the one
 * among `origins` whose host was asked for. For everybody else, pages that rebind a name of theirs to this machine
 * among them, the console does not exist: throws `not_found`.
 */
export function originOf(request: FastifyRequest, origins: readonly string[]): string {
  const host = (request.headers.host ?? '').toLowerCase();
  if (isDirectFromLoopback(request)) return `http://${host}`;
  const origin = origins.find((known) => URL.parse(known)?.host === host);
  if (origin === undefined) throw new ApiError('not_found', 'No such resource');
  return origin;
}

/** Refuses what a page of another origin asks in the name of whoever is logged in. */
export function refuseOtherOrigins(request: FastifyRequest, origin: string): void {
  const { origin: from, 'sec-fetch-site': site = 'same-origin' } = request.headers;
  const isReading = request.method === 'GET' || request.method === 'HEAD';
  const isOwn = from === origin || (isReading && from === undefined);
  if (isOwn && (site === 'same-origin' || (isReading && site === 'none'))) return;
  throw new ConsoleRefusal('forbidden', 'The console answers its own page only. Please open it again.');
}

/** The token in the request's cookie; empty when there is none. */
export function tokenOf(request: FastifyRequest): string {
  const name = cookieName(request);
  for (const part of (request.headers.cookie ?? '').split(';')) {
    const [key, value = ''] = part.trim().split('=', 2);
    if (key === name && value.length <= TOKEN_LENGTH_MAX) return value;
  }
  return '';
}

/** The `set-cookie` that carries the token; an empty one takes it away. */
export function cookieFor(request: FastifyRequest, token: string, origin: string): string {
  const secure = origin.startsWith('https:') ? '; Secure' : '';
  const maxAge = token === '' ? 0 : LOG_IN_SECONDS;
  return `${cookieName(request)}=${token}; Path=/console/; HttpOnly; SameSite=Strict; Max-Age=${maxAge}${secure}`;
}

/** Cookies do not tell ports apart: two servers under one name must not log each other out. */
function cookieName({ headers }: FastifyRequest): string {
  const [, port = '0'] = /:(\d{1,5})$/.exec(headers.host ?? '') ?? [];
  return `console_${port}`;
}
