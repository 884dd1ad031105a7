import { afterAll, beforeAll, expect, test } from 'vitest';
import { FaceReader } from '../../src/media-server/engine/face/face-reader.ts';
import { FaceTracker } from '../../src/media-server/engine/track/face-tracker.ts';
import { readPixels, sample } from './use-engine.ts';

let reader: FaceReader;
beforeAll(async () => {
  reader = await FaceReader.load();
});
afterAll(() => reader[Symbol.asyncDispose]());

test('the face is found once and followed from then on', async () => {
  const picture = await readPixels(sample('portrait-man-elderly.jpg'));
  const tracker = new FaceTracker(reader);
  const faces = [0, 0.04, 0.08].map((timestamp) => tracker.next(picture, timestamp));
  expect(faces.map((face) => face?.isNew)).toEqual([true, false, false]);
  expect(faces.map((face) => face?.weight)).toEqual([1, 1, 1]);
});
