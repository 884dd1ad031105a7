import fc from 'fast-check';
import { expect, test } from 'vitest';
import { afterAttempt } from '../../../../src/bot/money/alerts/after-attempt.ts';

const NOW_MS = Date.UTC(2026, 10, 22, 12);
const attempts = fc.integer({ min: 1, max: 1_000 });

test.each(['sent', 'refused'] as const)('an alert that was %s is closed', (outcome) => {
  fc.assert(
    fc.property(attempts, (count) => {
      expect(afterAttempt(outcome, { attempts: count, nowMs: NOW_MS })).toEqual({ step: 'close' });
    }),
  );
});

test('an alert whose process stopped is due at once', () => {
  fc.assert(
    fc.property(attempts, (count) => {
      const after = afterAttempt('stopped', { attempts: count, nowMs: NOW_MS });
      expect(after).toEqual({ step: 'defer', dueAtMs: NOW_MS });
    }),
  );
});

test('an alert that failed is due within ten minutes, and is closed after fifty attempts', () => {
  fc.assert(
    fc.property(attempts, (count) => {
      const after = afterAttempt('failed', { attempts: count, nowMs: NOW_MS });
      expect(after.step).toBe(count < 50 ? 'defer' : 'close');
      const delayMs = after.step === 'defer' ? after.dueAtMs - NOW_MS : 2_500;
      expect(delayMs).toBeGreaterThanOrEqual(2_500);
      expect(delayMs).toBeLessThanOrEqual(600_000);
    }),
  );
});
