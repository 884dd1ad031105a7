import { afterAll, beforeAll, expect, test } from 'vitest';
import { type FaceFinder, createFaceFinder } from '../../../src/media-server/engine/cpu/face-finder.ts';
import { PORTRAITS } from './portraits.ts';
import { noAbort, sample } from './use-engine.ts';

let finder: FaceFinder;
beforeAll(async () => {
  finder = await createFaceFinder();
});
afterAll(() => finder[Symbol.asyncDispose]());

test('finds one face in each portrait, with its landmarks inside the picture', async () => {
  for (const name of PORTRAITS) {
    const faces = await finder.find(sample(name), noAbort());
    expect([name, faces.length]).toEqual([name, 1]);
    const [face] = faces;
    expect(face?.score).toBeGreaterThan(0.7);
    expect(face?.landmarks).toHaveLength(468 * 3);
    expect(face?.landmarks.filter((value, at) => at % 3 < 2 && !(value > 0 && value < 768))).toHaveLength(0);
  }
});

test('finds both people of a group, the larger one first', async () => {
  const [man, woman, ...others] = await finder.find(sample('group-two-faces.jpg'));
  expect(others).toHaveLength(0);
  expect(man?.box.x).toBeLessThan(woman?.box.x ?? 0);
  expect(man?.box.width).toBeGreaterThan(woman?.box.width ?? Infinity);
});

test('finds nobody in a landscape of odd height', async () => {
  expect(await finder.find(sample('no-face-landscape.jpg'))).toEqual([]);
});

test('measures how far a head is turned', async () => {
  const [frontal] = await finder.find(sample('portrait-woman-brown-hair.jpg'));
  const [turned] = await finder.find(sample('portrait-woman-three-quarter.jpg'));
  expect(Math.abs(frontal?.yawDegrees ?? 90)).toBeLessThan(6);
  expect(Math.abs(turned?.yawDegrees ?? 0)).toBeCloseTo(20, -1);
});

test('rejects files that are not pictures', async () => {
  await expect(finder.find(sample('bad-text-named.png'))).rejects.toMatchObject({
    code: 'unsupported_format',
  });
});
