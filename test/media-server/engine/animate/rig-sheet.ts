import { mkdir } from 'node:fs/promises';
import sharp, { type OverlayOptions } from 'sharp';
import {
  type FaceMotion,
  MOTION_AT_REST,
  POSE_AT_REST,
} from '../../../../src/media-server/engine/animate/face-motion.ts';
import { PortraitRig } from '../../../../src/media-server/engine/animate/portrait-rig.ts';
import { largestFace } from '../../../../src/media-server/engine/face/face.ts';
import { FaceReader } from '../../../../src/media-server/engine/face/face-reader.ts';
import type { Pixels } from '../../../../src/media-server/engine/pixels.ts';
import { PORTRAITS } from '../portraits.ts';
import { sample } from '../use-engine.ts';

const OUT = new URL('../../../../out/', import.meta.url);
const CELL = 300;
const DEGREES = Math.PI / 180;

const mouth = (shape: Partial<FaceMotion['mouth']>): FaceMotion => ({
  ...MOTION_AT_REST,
  mouth: { ...MOTION_AT_REST.mouth, ...shape },
});
const turn = (yaw: number, pitch: number, roll: number): FaceMotion => ({
  ...MOTION_AT_REST,
  pose: { ...POSE_AT_REST, yaw: yaw * DEGREES, pitch: pitch * DEGREES, roll: roll * DEGREES },
});
const eyes = (blink: number): FaceMotion => ({ ...MOTION_AT_REST, blinkLeft: blink, blinkRight: blink });

const SHEETS: Readonly<Record<string, readonly FaceMotion[]>> = {
  mouth: [
    MOTION_AT_REST,
    mouth({ open: 0.3 }),
    mouth({ open: 0.6 }),
    mouth({ open: 1 }),
    mouth({ open: 0.35, spread: 1 }),
    mouth({ open: 0.25, spread: -1 }),
    mouth({ press: 1 }),
    mouth({ tuck: 1 }),
  ],
  turn: [
    turn(-20, 0, 0),
    turn(-10, 0, 0),
    turn(10, 0, 0),
    turn(20, 0, 0),
    turn(0, -12, 0),
    turn(0, 12, 0),
    turn(0, 0, 12),
    { ...MOTION_AT_REST, pose: { ...POSE_AT_REST, across: 0.3, down: 0.1, scale: 1.08 } },
  ],
  eyes: [
    MOTION_AT_REST,
    eyes(0.25),
    eyes(0.5),
    eyes(0.75),
    eyes(1),
    eyes(-0.25),
    { ...MOTION_AT_REST, browLeft: 1, browRight: 1 },
    { ...MOTION_AT_REST, browLeft: -0.7, browRight: -0.7 },
  ],
};

/**
 * Writes `out/rig-<sheet>.png`: portraits in rows, motions in columns. Arguments: sheet, part of a portrait's
 * name, zoom.
 */
async function main(sheet = 'mouth', only = '', zoom = '1.5'): Promise<void> {
  await mkdir(OUT, { recursive: true });
  await using reader = await FaceReader.load();
  const tiles: OverlayOptions[] = [];
  const names = PORTRAITS.filter((name) => name.includes(only));
  const motions = SHEETS[sheet] ?? [];
  for (const [row, name] of names.entries()) {
    const picture = await load(name);
    const face = largestFace(await reader.find(picture));
    if (!face) throw new Error(`Cannot find the face in ${name}`);
    const rig = new PortraitRig(picture, face.landmarks);
    const out = { ...picture, data: new Uint8Array(picture.data.length) };
    const side = Math.min(
      picture.width,
      Math.round(Math.max(face.box.width, face.box.height) * Number(zoom)),
    );
    const left = clip(face.box.x + face.box.width / 2 - side / 2, picture.width - side);
    const focus = { mouth: 0.65, eyes: 0.35 }[sheet] ?? 0.5;
    const top = clip(face.box.y + face.box.height * focus - side / 2, picture.height - side);
    for (const [column, motion] of motions.entries()) {
      rig.render(motion, out);
      const input = await sharp(out.data, { raw: { width: out.width, height: out.height, channels: 4 } })
        .extract({ left, top, width: side, height: side })
        .resize(CELL, CELL)
        .png()
        .toBuffer();
      const at = only ? [column % 4, Math.floor(column / 4)] : [column, row];
      tiles.push({ input, left: (at[0] ?? 0) * CELL, top: (at[1] ?? 0) * CELL });
    }
  }
  const [width, height] = only ? [4, Math.ceil(motions.length / 4)] : [motions.length, names.length];
  await sharp({ create: { width: width * CELL, height: height * CELL, channels: 3, background: '#444' } })
    .composite(tiles)
    .png()
    .toFile(new URL(`rig-${sheet}.png`, OUT).pathname);
}

function clip(value: number, most: number): number {
  return Math.round(Math.max(0, Math.min(most, value)));
}

async function load(name: string): Promise<Pixels> {
  const { data, info } = await sharp(sample(name)).ensureAlpha().raw().toBuffer({ resolveWithObject: true });
  return { width: info.width, height: info.height, data };
}

await main(...process.argv.slice(2));
