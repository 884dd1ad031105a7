import { describe, expect, test } from 'vitest';
import { frame, framesHeard, useDaveCall } from './use-dave-call.ts';

describe('a call', () => {
  test('is encrypted as soon as two are there, and they see the same code', () => {
    const { call, join, misuse } = useDaveCall();
    const first = join();
    expect(first.isEncrypted).toBe(false);
    const second = join();
    expect(call.epoch).toBe(1n);
    expect([first.isEncrypted, second.isEncrypted]).toEqual([true, true]);
    expect(framesHeard(first, second)).toBe(5);
    expect(framesHeard(second, first)).toBe(5);
    expect(first.privacyCode).toMatch(/^\d{30}$/);
    expect(second.privacyCode).toBe(first.privacyCode);
    expect(first.encrypt(frame(1))?.includes(frame(1).subarray(2))).toBe(false);
    expect(misuse).toEqual([]);
  });

  test('goes to another epoch with everybody who comes or goes', () => {
    const { call, join, misuse } = useDaveCall();
    const [first, second] = [join(), join()];
    const code = first.privacyCode;
    const third = join();
    expect(call.epoch).toBe(2n);
    expect(third.privacyCode).toBe(first.privacyCode);
    expect(first.privacyCode).not.toBe(code);
    expect([framesHeard(third, first), framesHeard(second, third)]).toEqual([5, 5]);
    call.leave(third);
    expect(call.epoch).toBe(3n);
    expect([framesHeard(first, second), framesHeard(second, first)]).toEqual([5, 5]);
    expect(framesHeard(first, third)).toBe(0);
    expect(misuse).toEqual([]);
  });
});
