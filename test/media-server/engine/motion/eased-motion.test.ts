import { expect, test } from 'vitest';
import { MOTION_AT_REST } from '../../../../src/media-server/engine/animate/face-motion.ts';
import { EasedMotion } from '../../../../src/media-server/engine/motion/eased-motion.ts';

const TURNED = { ...MOTION_AT_REST, pose: { ...MOTION_AT_REST.pose, yaw: 0.3 }, blinkLeft: 1 };
const FRAME_SECONDS = 0.04;

test('a clip that starts with a face starts with its movement', () => {
  expect(new EasedMotion().next(TURNED, FRAME_SECONDS)).toEqual(TURNED);
});

test('a face whose driver is lost returns to rest without a jump, stays there, and comes back in the same way', () => {
  const eased = new EasedMotion();
  const yaws = Array.from({ length: 35 }, (_, n) => {
    const isLost = n >= 5 && n < 20;
    return eased.next(isLost ? undefined : TURNED, FRAME_SECONDS).pose.yaw;
  });
  const steps = yaws.slice(1).map((yaw, n) => Math.abs(yaw - (yaws[n] ?? 0)));
  expect(yaws[19]).toBe(0);
  expect(yaws[34]).toBe(0.3);
  expect(Math.max(...steps)).toBeLessThan(0.06);
});

test('a face without any driver is at rest', () => {
  const { pose, blinkLeft } = new EasedMotion().next(undefined, FRAME_SECONDS);
  expect(pose).toEqual(MOTION_AT_REST.pose);
  expect(blinkLeft).toBe(0);
});
