import { expect, test } from 'vitest';
import {
  HELD_MAX,
  HELD_MS_MAX,
  type HeldFrame,
  HeldFrames,
} from '../../../../src/bot/discord/voice/held-frames.ts';

function frameAt(atMs: number): HeldFrame {
  const header = { sequence: atMs, timestamp: 0, ssrc: 1, headerSize: 12, extensionSize: 0, isPadded: false };
  return { userId: '1', header, frame: Buffer.alloc(1), why: 'undecryptable', atMs };
}

test('holds frames until their keys arrive, up to a limit of time and number', () => {
  const givenUp: number[] = [];
  const held = new HeldFrames(({ atMs }) => givenUp.push(atMs));

  for (const atMs of [0, 1, 2]) held.hold(frameAt(atMs));
  expect(held.take(HELD_MS_MAX + 1).map(({ atMs }) => atMs)).toEqual([1, 2]);
  expect(givenUp).toEqual([0]);
  expect(held.take(HELD_MS_MAX + 1)).toEqual([]);

  for (let atMs = 1_000; atMs < 1_000 + HELD_MAX + 2; atMs++) held.hold(frameAt(atMs));
  expect(givenUp).toEqual([0, 1_000, 1_001]);
  held.clear();
  expect(givenUp).toHaveLength(1 + 2 + HELD_MAX);
});
