import { expect, test } from 'vitest';
import { judgeClose } from '../../../../src/bot/discord/voice/judge-close.ts';

test.each([
  [4006, 'rejoin'],
  [4009, 'rejoin'],
  [4015, 'rejoin'],
  [1006, 'rejoin'],
  [null, 'rejoin'],
  [4014, 'dismissed'],
  [4017, 'refused'],
  [4021, 'stay_away'],
  [4022, 'dismissed'],
])('judges the close code %s as %s', (code, verdict) => {
  expect(judgeClose(code)).toBe(verdict);
});
