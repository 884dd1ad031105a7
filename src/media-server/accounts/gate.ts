import type { FastifyRequest } from 'fastify';
import type { Clock } from '../../base/clock.ts';
import { ApiError } from '../wire/api-error.ts';
import { API_KEY_LENGTH_MAX, findApiKey } from './api-keys.ts';
import { spendRequest } from './spend-request.ts';
import type { ApiKeyRow } from '../store/api-keys.ts';
import type { Database } from '../store/database.ts';

const BEARER = /^Bearer +([\x21-\x7e]+) *$/i;

/** Authenticates API requests by their bearer key and then counts them in the key's rate window. It caches nothing. */
export class Gate {
  readonly #db: Database;
  readonly #clock: Clock;
  readonly #callers = new WeakMap<FastifyRequest, ApiKeyRow>();

  constructor(db: Database, clock: Clock) {
    this.#db = db;
    this.#clock = clock;
  }

  /**
   * Admits the request or throws `unauthorized` (with the same body whatever is wrong with the key) or `rate_limited`.
   */
  admit(request: FastifyRequest): void {
    const key = this.#authenticate(request.headers.authorization);
    if (!key) throw new ApiError('unauthorized', 'A valid API key is required');
    spendRequest(this.#db, this.#clock, key);
    this.#callers.set(request, key);
  }

  /** Admits a request whose key is optional: one without a key passes anonymously and is not counted. */
  admitIfKeyed(request: FastifyRequest): void {
    if (request.headers.authorization !== undefined) this.admit(request);
  }

  /** Returns the account that an admitted request belongs to. */
  accountOf(request: FastifyRequest): string {
    const key = this.#callers.get(request);
    if (!key) throw new TypeError('Cannot identify the caller: the request was not admitted');
    return key.accountId;
  }

  /** Returns the account that an admitted request belongs to, or `undefined` if the request is anonymous. */
  accountIfKeyed(request: FastifyRequest): string | undefined {
    return this.#callers.get(request)?.accountId;
  }

  #authenticate(header: string | undefined): ApiKeyRow | undefined {
    const text = BEARER.exec(header ?? '')?.[1];
    if (text === undefined || text.length > API_KEY_LENGTH_MAX) return undefined;
    const key = findApiKey(this.#db, text);
    return key?.revokedAt === null ? key : undefined;
  }
}
