import { expect, test } from 'vitest';
import { micros } from '../../../../src/base/money.ts';
import type { JobFailure } from '../../../../src/bot/jobs/cards.ts';
import type { InputProblem } from '../../../../src/bot/jobs/inputs/inputs.ts';
import { isWorthRetry } from '../../../../src/bot/jobs/steps/is-worth-retry.ts';
import { parseFailure } from '../../../../src/bot/jobs/steps/parse-failure.ts';

/** Every problem that a file may have. */
const PROBLEMS: readonly InputProblem[] = [
  { kind: 'missing' },
  { kind: 'empty' },
  { kind: 'too_large', sizeBytes: 2, sizeBytesMax: 1 },
  { kind: 'wrong_type', expected: 'video' },
  { kind: 'unsupported_format', expected: 'image', format: 'HEIC' },
  { kind: 'too_long', durationSeconds: 2.5, durationSecondsMax: 1 },
  { kind: 'undecodable' },
  ...(['edits', 'speed', 'twice', 'sound'] as const).map(
    (because) => ({ kind: 'unclear_length', because }) as const,
  ),
  { kind: 'too_complex' },
  { kind: 'too_many_pixels', megapixels: 60.5, megapixelsMax: 50 },
  { kind: 'not_text' },
  { kind: 'text_too_long', length: 6, lengthMax: 5 },
  { kind: 'unavailable' },
];
const CAP = {
  target: { kind: 'member' },
  capability: 'lip_sync',
  period: 'week',
  limit: micros(9),
  pending: micros(2),
  left: micros(1),
  resetsAtMs: 77,
} as const;

/** For each failure, whether members may retry with the same files. */
const FAILURES: readonly (readonly [JobFailure, boolean])[] = [
  ...(['job', 'service_refused'] as const).flatMap((reason) => [
    ...[
      'content_rejected',
      'face_not_detected',
      'unsupported_format',
      'input_too_large',
      'invalid_input',
    ].map((code) => [{ reason, code }, false] as const),
    ...['processing_failed', 'insufficient_balance', 'at_capacity', 'unknown'].map(
      (code) => [{ reason, code }, true] as const,
    ),
  ]),
  [{ reason: 'service_unreachable' }, true],
  [{ reason: 'internal' }, true],
  [{ reason: 'result_lost' }, true],
  [{ reason: 'cancelled' }, true],
  [{ reason: 'budget', price: micros(4), needed: micros(5), lengths: [], cap: CAP }, true],
  [{ reason: 'not_confirmed', price: micros(5) }, true],
  [{ reason: 'overrun_unseen' }, true],
  ...PROBLEMS.map((problem) => [{ reason: 'input', option: 'image', problem }, false] as const),
  [{ reason: 'crashed' }, false],
  [{ reason: 'unconfirmed' }, false],
];

test.each(FAILURES)('after %o a retry is offered: %s', (failure, isOffered) => {
  expect(isWorthRetry(failure)).toBe(isOffered);
  expect(parseFailure(JSON.stringify(failure))).toEqual(failure);
});
