import { describe, expect, test } from 'vitest';
import { assertRefused } from '../caller.ts';
import type { Target } from '../target.ts';

const KEYED_PATHS = ['/balance', '/usage', '/usage/summary', '/voices', '/jobs/job_none'];

/** Tests authentication and the error envelope. These tests change nothing. */
export function authenticationSuite(target: () => Target): void {
  describe('authentication and errors', () => {
    test('a missing key is refused on every keyed path, and only pricing works without one', async () => {
      const { anonymous } = target();
      for (const path of KEYED_PATHS) assertRefused(await anonymous.get(path), 401, 'unauthorized');
      expect((await anonymous.get('/pricing')).status).toBe(200);
    });

    test('an unknown key is refused like a missing one', async () => {
      const missing = await target().anonymous.get('/balance');
      const unknown = await target().withKey('unknown-key-of-the-conformance-suite').get('/balance');
      assertRefused(unknown, 401, 'unauthorized');
      expect(unknown.text).toBe(missing.text);
    });

    test('a job that does not exist is not_found', async () => {
      assertRefused(await target().api.get('/jobs/job_of_nobody'), 404, 'not_found');
    });

    test('a path that does not exist is refused in the envelope', async () => {
      const answer = await target().api.get('/no-such-path');
      expect(answer.status).toBeGreaterThanOrEqual(400);
      expect(answer.errorCode).toEqual(expect.stringMatching(/^[a-z_]+$/));
    });
  });
}
