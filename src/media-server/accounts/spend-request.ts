import type { Clock } from '../../base/clock.ts';
import { ApiError } from '../wire/api-error.ts';
import type { ApiKeyRow } from '../store/api-keys.ts';
import type { Database } from '../store/database.ts';
import { countRequest } from '../store/rate-windows.ts';

const WINDOW_MS = 60_000;

/**
 * Counts a request in its key's fixed window: a whole minute of the clock, shared by all processes that use the same
 * data. If the key is over its limit, throws `rate_limited` with the seconds until the window ends.
 */
export function spendRequest(db: Database, clock: Clock, key: ApiKeyRow): void {
  const now = clock.now();
  const startsAt = now - (now % WINDOW_MS);
  if (countRequest(db, key.id, startsAt) <= key.requestsPerMinute) return;
  throw new ApiError('rate_limited', `This key may make ${key.requestsPerMinute} requests a minute`, {
    retryAfterSeconds: Math.ceil((startsAt + WINDOW_MS - now) / 1000),
  });
}
