import type { FastifyRequest } from 'fastify';
import { isDirectFromLoopback } from '../http/is-direct-from-loopback.ts';
import { ApiError } from '../wire/api-error.ts';
import { ConsoleRefusal } from './console-refusal.ts';
import { LOG_IN_SECONDS } from './log-ins.ts';

const TOKEN_LENGTH_MAX = 100;

/**
 * Returns the origin at which the caller sees the console: loopback for a direct caller from this machine, otherwise
 * the entry of `origins` whose host the request names. For all other callers, including pages that use DNS rebinding to
 * reach this machine, it throws `not_found`, as if the console did not exist.
 */
export function originOf(request: FastifyRequest, origins: readonly string[]): string {
  const host = (request.headers.host ?? '').toLowerCase();
  if (isDirectFromLoopback(request)) return `http://${host}`;
  const origin = origins.find((known) => URL.parse(known)?.host === host);
  if (origin === undefined) throw new ApiError('not_found', 'No such resource');
  return origin;
}

/** Rejects requests that a page from another origin makes with a logged-in user's cookie. */
export function refuseOtherOrigins(request: FastifyRequest, origin: string): void {
  const { origin: from, 'sec-fetch-site': site = 'same-origin' } = request.headers;
  const isReading = request.method === 'GET' || request.method === 'HEAD';
  const isOwn = from === origin || (isReading && from === undefined);
  if (isOwn && (site === 'same-origin' || (isReading && site === 'none'))) return;
  throw new ConsoleRefusal('forbidden', 'The console answers its own page only. Please open it again.');
}

/** Returns the token in the request's cookie, or an empty string if there is none. */
export function tokenOf(request: FastifyRequest): string {
  const name = cookieName(request);
  for (const part of (request.headers.cookie ?? '').split(';')) {
    const [key, value = ''] = part.trim().split('=', 2);
    if (key === name && value.length <= TOKEN_LENGTH_MAX) return value;
  }
  return '';
}

/** Returns the `set-cookie` header that stores the token; an empty token deletes the cookie. */
export function cookieFor(request: FastifyRequest, token: string, origin: string): string {
  const secure = origin.startsWith('https:') ? '; Secure' : '';
  const maxAge = token === '' ? 0 : LOG_IN_SECONDS;
  return `${cookieName(request)}=${token}; Path=/console/; HttpOnly; SameSite=Strict; Max-Age=${maxAge}${secure}`;
}

/**
 * The cookie's name contains the port, because all ports of a host share cookies, and two servers on one host must not
 * log each other's users out.
 */
function cookieName({ headers }: FastifyRequest): string {
  const [, port = '0'] = /:(\d{1,5})$/.exec(headers.host ?? '') ?? [];
  return `console_${port}`;
}
