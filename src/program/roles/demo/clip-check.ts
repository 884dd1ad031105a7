import { rm } from 'node:fs/promises';
import sharp, { type Sharp } from 'sharp';
import type { ClipInfo, Codec } from '../../../media-server/engine/codec/codec.ts';
import type { Face } from '../../../media-server/engine/face/face.ts';
import type { FaceFinder } from '../../../media-server/engine/cpu/face-finder.ts';
import type { Pixels } from '../../../media-server/engine/pixels.ts';

export interface ClipCheck {
  readonly info: ClipInfo;
  /** The mean loudness in dB relative to full scale; -Infinity without sound. */
  readonly loudnessDb: number;
  readonly stills: number;
  /** The number of stills in which exactly one face was found. */
  readonly facesSeen: number;
  /**
   * The mean likeness of the result's faces, from -1 to 1: to the person, and in `likenessBefore` to the input's faces.
   * See `faceLikeness`.
   */
  readonly likenessToPerson: number;
  readonly likenessBefore: number | null;
}

interface ClipPaths {
  readonly result: string;
  /** A picture of the person whose face the result must show. */
  readonly person: string;
  /** The clip from which the result was made, if it shows another person, otherwise null. */
  readonly before: string | null;
  /** The path at which to save a picture with the result's stills and, below them, the input's. */
  readonly sheet: string;
}

const STILLS = 6;
const STILL_HEIGHT = 240;
const HEARD_HZ = 16_000;

/** Examines the stills and the sound of a result. Throws `TypeError` if the person's picture shows no face. */
export async function checkClip(paths: ClipPaths, finder: FaceFinder, codec: Codec): Promise<ClipCheck> {
  const { takeStills } = await import('../../../media-server/engine/codec/take-stills.ts');
  const { faceLikeness } = await import('../../../media-server/engine/cpu/swap-check.ts');
  const after = await takeStills(codec, paths.result, STILLS);
  const before = paths.before === null ? [] : await takeStills(codec, paths.before, STILLS);
  await drawSheet([after, before], paths.sheet);
  const looks = await lookAtEach(after, paths.sheet, finder);
  const looksBefore = await lookAtEach(before, paths.sheet, finder);
  const person = { picture: await readPixels(paths.person), face: (await finder.find(paths.person))[0] };
  if (!person.face) throw new TypeError('Cannot check a clip against a picture without a face');
  const likeness = (look: Look, other: Look | undefined): number[] =>
    look.face && other?.face ? [faceLikeness(look.picture, look.face, other.picture, other.face)] : [];
  const info = await codec.probe(paths.result);
  return {
    info,
    loudnessDb: info.audio ? await loudness(codec.readAudio(paths.result, HEARD_HZ)) : -Infinity,
    stills: after.length,
    facesSeen: looks.filter(({ faces }) => faces === 1).length,
    likenessToPerson: mean(looks.flatMap((look) => likeness(look, person))),
    likenessBefore:
      before.length === 0 ? null : mean(looks.flatMap((look, index) => likeness(look, looksBefore[index]))),
  };
}

async function loudness(sound: AsyncIterable<Float32Array>): Promise<number> {
  let power = 0;
  let count = 0;
  for await (const piece of sound) {
    power += piece.reduce((sum, sample) => sum + sample * sample, 0);
    count += piece.length;
  }
  return count === 0 ? -Infinity : 10 * Math.log10(power / count);
}

interface Look {
  readonly picture: Pixels;
  readonly face: Face | undefined;
}

async function lookAtEach(
  pictures: readonly Pixels[],
  nextTo: string,
  finder: FaceFinder,
): Promise<(Look & { readonly faces: number })[]> {
  const path = `${nextTo}.still.png`;
  const looks: (Look & { readonly faces: number })[] = [];
  try {
    for (const picture of pictures) {
      await toImage(picture).png({ compressionLevel: 1 }).toFile(path);
      const faces = await finder.find(path);
      looks.push({ picture, face: faces[0], faces: faces.length });
    }
  } finally {
    await rm(path, { force: true });
  }
  return looks;
}

async function drawSheet(rows: readonly (readonly Pixels[])[], path: string): Promise<void> {
  const tiles = await Promise.all(
    rows.flatMap((row, y) =>
      row.map(async (picture, x) => {
        const input = await toImage(picture).resize({ height: STILL_HEIGHT }).png().toBuffer();
        const { width } = await sharp(input).metadata();
        return { input, width, left: x * width, top: y * STILL_HEIGHT };
      }),
    ),
  );
  const width = Math.max(...tiles.map((tile) => tile.left + tile.width));
  const height = rows.filter((row) => row.length > 0).length * STILL_HEIGHT;
  await sharp({ create: { width, height, channels: 3, background: '#222' } })
    .composite(tiles)
    .jpeg({ quality: 90 })
    .toFile(path);
}

async function readPixels(path: string): Promise<Pixels> {
  const { data, info } = await sharp(path).ensureAlpha().raw().toBuffer({ resolveWithObject: true });
  return { width: info.width, height: info.height, data };
}

function toImage({ width, height, data }: Pixels): Sharp {
  return sharp(data, { raw: { width, height, channels: 4 } });
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
