import { expect, test } from 'vitest';
import { MediaApiRefusal, type RefusalRetry } from '../../src/media-api/errors.ts';

test.each<readonly [number, string, RefusalRetry]>([
  // Only a refusal by the key's own rate limit delays all other requests (`slow_down`).
  [429, 'rate_limited', 'slow_down'],
  [503, 'rate_limited', 'slow_down'],
  [429, 'http_429', 'slow_down'],
  [429, 'at_capacity', 'soon'],
  [503, 'at_capacity', 'soon'],
  [503, 'capacity_unavailable', 'soon'],
  [503, 'capability_unavailable', 'soon'],
  [502, 'capacity_warming', 'warming'],
  [500, 'internal_error', 'service_fault'],
  [503, 'a_newer_code', 'service_fault'],
  [400, 'invalid_input', 'never'],
  [400, 'rate_limited', 'never'],
  [401, 'unauthorized', 'never'],
  [402, 'insufficient_balance', 'never'],
  [404, 'not_found', 'never'],
  [499, 'a_newer_code', 'never'],
])('a refusal with %i %s means for the caller: %s', (status, code, retry) => {
  expect(new MediaApiRefusal('try', { status, code }).retry).toBe(retry);
});
