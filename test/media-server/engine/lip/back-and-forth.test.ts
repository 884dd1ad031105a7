import { expect, test } from 'vitest';
import { HD_COLOURS, yuvSizeBytes } from '../../../../src/media-server/engine/codec/yuv-picture.ts';
import { type FacedFrame, backAndForth } from '../../../../src/media-server/engine/lip/back-and-forth.ts';

const SIDE = 16;

/** Yields grey frames, each 6 levels lighter than the one before. */
async function* clip(count: number, face?: FacedFrame['face']): AsyncGenerator<FacedFrame> {
  for (let n = 0; n < count; n++) {
    const data = new Uint8Array(yuvSizeBytes(SIDE, SIDE)).fill(128).fill(40 + 6 * n, 0, SIDE * SIDE);
    const planes = { width: SIDE, height: SIDE, colours: HD_COLOURS, data };
    yield await Promise.resolve({ planes, face, duration: 1 });
  }
}

/** Returns the positions that the first `count` frames had in `clip`, counted from 0. */
async function order(frames: AsyncIterable<FacedFrame>, count: number): Promise<number[]> {
  const numbers: number[] = [];
  for await (const { planes } of frames) {
    numbers.push(Math.round(((planes.data[0] ?? 0) - 40) / 6));
    if (numbers.length === count) break;
  }
  return numbers;
}

test('a clip continues backwards from its end and forwards again from its start', async () => {
  const frames = backAndForth(clip(4), { clipSeconds: 4, wantedSeconds: 60 });
  expect(await order(frames, 12)).toEqual([0, 1, 2, 3, 2, 1, 0, 1, 2, 3, 2, 1]);
});

test('only the end of a clip that is too large is repeated', async () => {
  const frames = backAndForth(clip(9), { clipSeconds: 9, wantedSeconds: 60, keptBytesMax: 1_200 });
  const shown = await order(frames, 40);
  expect(shown.slice(0, 10)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 7]);
  const again = shown.slice(9);
  expect(Math.min(...again)).toBeGreaterThan(0);
  for (const [n, number] of again.entries())
    expect(Math.abs(number - (n === 0 ? 8 : (again[n - 1] ?? 0)))).toBe(1);
});

test('landmarks count towards the memory limit, so that tiny pictures do not fill the memory', async () => {
  const landmarks = new Float32Array(468 * 3);
  const box = { x: 0, y: 0, width: 1, height: 1 };
  const face = { landmarks, rawLandmarks: landmarks, box, yawDegrees: 0, presence: 1, weight: 1 };
  const frames = backAndForth(clip(9, { ...face, lidsClosed: 0, isNew: false }), {
    clipSeconds: 9,
    wantedSeconds: 60,
    keptBytesMax: 40_000,
  });
  expect(new Set((await order(frames, 40)).slice(9))).toEqual(new Set([6, 7, 8]));
});

test('one picture stands still, and a clip without pictures ends at once', async () => {
  expect(await order(backAndForth(clip(1), { clipSeconds: 1, wantedSeconds: 5 }), 4)).toEqual([0, 0, 0, 0]);
  expect(await order(backAndForth(clip(0), { clipSeconds: 0, wantedSeconds: 5 }), 4)).toEqual([]);
});
