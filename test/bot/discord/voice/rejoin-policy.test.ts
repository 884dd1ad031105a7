import { describe, expect, it } from 'vitest';
import {
  REJOINS_MAX,
  RejoinBudget,
  STABLE_MS,
  judgeClose,
} from '../../../../src/bot/discord/voice/rejoin-policy.ts';

describe('judgeClose', () => {
  it.each([
    [4006, 'rejoin'],
    [4009, 'rejoin'],
    [4015, 'rejoin'],
    [1006, 'rejoin'],
    [null, 'rejoin'],
    [4014, 'dismissed'],
    [4017, 'refused'],
    [4021, 'stay_away'],
    [4022, 'dismissed'],
  ])('%s means %s', (code, verdict) => {
    expect(judgeClose(code)).toBe(verdict);
  });
});

describe('RejoinBudget', () => {
  it('waits longer before each try, and ends', () => {
    const budget = new RejoinBudget();

    const waits = Array.from({ length: REJOINS_MAX }, () => budget.next(0) ?? Number.NaN);

    for (const [index, wait] of waits.entries()) {
      expect(wait).toBeGreaterThanOrEqual(250 * 2 ** index);
      expect(wait).toBeLessThanOrEqual(500 * 2 ** index);
    }
    expect(budget.next(STABLE_MS - 1)).toBeNull();
  });

  it('begins anew after a connection that held', () => {
    const budget = new RejoinBudget();
    for (let tries = 0; tries < REJOINS_MAX; tries++) budget.next(0);

    expect(budget.next(STABLE_MS)).toBeLessThanOrEqual(500);
  });
});
