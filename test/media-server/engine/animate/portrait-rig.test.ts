import { beforeAll, describe, expect, test } from 'vitest';
import {
  type FaceMotion,
  MOTION_AT_REST,
  POSE_AT_REST,
} from '../../../../src/media-server/engine/animate/face-motion.ts';
import { lidOpening } from '../../../../src/media-server/engine/animate/lids.ts';
import { MouthAnimator } from '../../../../src/media-server/engine/animate/mouth-animator.ts';
import { MOUTH_AT_REST } from '../../../../src/media-server/engine/animate/mouth-shape.ts';
import { PortraitRig } from '../../../../src/media-server/engine/animate/portrait-rig.ts';
import { type Face, largestFace } from '../../../../src/media-server/engine/face/face.ts';
import { FaceReader } from '../../../../src/media-server/engine/face/face-reader.ts';
import type { Pixels } from '../../../../src/media-server/engine/pixels.ts';
import { PORTRAITS } from '../portraits.ts';
import { readPixels, sample } from '../use-engine.ts';
import { mouthOpening } from './face-series.ts';

const DEGREE = Math.PI / 180;

let reader: FaceReader;
beforeAll(async () => {
  reader = await FaceReader.load();
  return () => reader[Symbol.asyncDispose]();
});

async function faceIn(picture: Pixels): Promise<Face> {
  const face = largestFace(await reader.find(picture));
  if (!face) throw new Error('Cannot find a face in the picture');
  return face;
}

async function rigged(name: string): Promise<{ picture: Pixels; face: Face; rig: PortraitRig }> {
  const picture = await readPixels(sample(name));
  const face = await faceIn(picture);
  return { picture, face, rig: new PortraitRig(picture, face.landmarks) };
}

function render(rig: PortraitRig, { width, height }: Pixels, motion: Partial<FaceMotion>): Pixels {
  const out = { width, height, data: new Uint8Array(width * height * 4) };
  rig.render({ ...MOTION_AT_REST, ...motion }, out);
  return out;
}

function edgeOf({ width, height, data }: Pixels): number[] {
  const edge: number[] = [];
  for (let x = 0; x < width; x++) edge.push(...data.subarray(x * 4, x * 4 + 3));
  for (let y = 0; y < height; y++) edge.push(...data.subarray(y * width * 4, y * width * 4 + 3));
  return edge;
}

describe.for(PORTRAITS)('the rig of %s', (name) => {
  test('equals the portrait at rest', async () => {
    const { picture, rig } = await rigged(name);
    expect(Buffer.compare(render(rig, picture, {}).data, picture.data)).toBe(0);
  });

  test('turns the head, opens the mouth and closes the eyes as far as requested', async () => {
    const { picture, face, rig } = await rigged(name);
    const turned = await faceIn(render(rig, picture, { pose: { ...POSE_AT_REST, yaw: 10 * DEGREE } }));
    expect(turned.yawDegrees - face.yawDegrees).toBeGreaterThan(6);
    expect(turned.yawDegrees - face.yawDegrees).toBeLessThan(14);
    const speaking = await faceIn(render(rig, picture, { mouth: { ...MOUTH_AT_REST, open: 1 } }));
    const opened = mouthOpening(speaking.landmarks) - mouthOpening(face.landmarks);
    expect(opened).toBeGreaterThan(0.12);
    expect(opened).toBeLessThan(0.36);
    const asleep = await faceIn(render(rig, picture, { blinkLeft: 1, blinkRight: 1 }));
    for (const side of ['left', 'right'] as const)
      expect(lidOpening(asleep.landmarks, side)).toBeLessThan(0.75 * lidOpening(face.landmarks, side));
  });

  test('keeps the edge of the picture and leaves no holes when everything moves', async () => {
    const { picture, rig } = await rigged(name);
    const pose = { yaw: 0.25, pitch: -0.15, roll: 0.15, across: 0.3, down: -0.2, scale: 1.08 };
    const moved = render(rig, picture, {
      pose,
      mouth: { ...MOUTH_AT_REST, open: 0.8 },
      browLeft: 1,
      browRight: 1,
    });
    const before = edgeOf(picture);
    const change = edgeOf(moved).map((value, n) => Math.abs(value - (before[n] ?? 0)));
    expect(Math.max(...change)).toBeLessThanOrEqual(3);
    expect(moved.data.every((value, at) => at % 4 !== 3 || value === 255)).toBe(true);
  });
});

describe('the mouth animator', () => {
  test('opens a closed mouth and closes an open one, wherever the head has moved since', async () => {
    const { picture, face, rig } = await rigged('portrait-man-elderly.jpg');
    const animator = new MouthAnimator(picture, face.landmarks);
    const pose = { ...POSE_AT_REST, yaw: 0.15, roll: 0.1, across: 0.2 };
    for (const [before, after] of [
      [0, 0.9],
      [0.9, 0],
    ] as const) {
      const frame = render(rig, picture, { pose, mouth: { ...MOUTH_AT_REST, open: before } });
      animator.draw(frame, (await faceIn(frame)).landmarks, { ...MOUTH_AT_REST, open: after });
      const opening = mouthOpening((await faceIn(frame)).landmarks);
      if (after > 0) expect(opening).toBeGreaterThan(0.14);
      else expect(opening).toBeLessThan(0.06);
    }
  });

  test('changes nothing above the nose or beside the face', async () => {
    const { picture, face } = await rigged('portrait-woman-brown-hair.jpg');
    const frame = { ...picture, data: Uint8Array.from(picture.data) };
    new MouthAnimator(picture, face.landmarks).draw(frame, face.landmarks, { ...MOUTH_AT_REST, open: 1 });
    const nose = Math.floor(face.landmarks[6 * 3 + 1] ?? 0) * picture.width * 4;
    expect(Buffer.compare(frame.data.subarray(0, nose), picture.data.subarray(0, nose))).toBe(0);
    expect(edgeOf(frame)).toEqual(edgeOf(picture));
    expect(Buffer.compare(frame.data, picture.data)).not.toBe(0);
  });
});
