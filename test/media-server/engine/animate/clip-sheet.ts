import sharp, { type OverlayOptions } from 'sharp';
import { MediabunnyCodec } from '../../../../src/media-server/engine/codec/mediabunny-codec.ts';

const CELL = 260;
const COLUMNS = 8;

interface SheetOptions {
  readonly path: string;
  readonly out: string;
  /** The first frame to show, the step from each shown frame to the next, and the number of shown frames. */
  readonly first: number;
  readonly every: number;
  readonly count: number;
  /** Part of the picture: left and width as fractions of its width, top as a fraction of its height. Default: all. */
  readonly part?: readonly [number, number, number];
}

/** Writes frames of a clip side by side into a PNG. */
export async function clipSheet({ path, out, first, every, count, part }: SheetOptions): Promise<void> {
  const codec = await MediabunnyCodec.load();
  const tiles: OverlayOptions[] = [];
  let n = -1;
  for await (const { pixels } of codec.readVideo(path)) {
    n++;
    if (n < first || (n - first) % every !== 0) continue;
    const { width, height, data } = pixels;
    const [x, y, w] = part ?? [0, 0, 1];
    const side = Math.round(w * width);
    const input = await sharp(Buffer.from(data), { raw: { width, height, channels: 4 } })
      .extract({
        left: Math.round(x * width),
        top: Math.round(y * height),
        width: side,
        height: Math.min(side, height - Math.round(y * height)),
      })
      .resize(CELL, CELL, { fit: 'contain' })
      .png()
      .toBuffer();
    const at = tiles.length;
    tiles.push({ input, left: (at % COLUMNS) * CELL, top: Math.floor(at / COLUMNS) * CELL });
    if (tiles.length >= count) break;
  }
  const height = Math.ceil(tiles.length / COLUMNS) * CELL;
  await sharp({ create: { width: COLUMNS * CELL, height, channels: 3, background: '#444' } })
    .composite(tiles)
    .png()
    .toFile(out);
}

if (import.meta.main) {
  const [path = '', out = '', first = '0', every = '2', count = '32', part] = process.argv.slice(2);
  const [x = 0, y = 0, w = 1] = part?.split(',').map(Number) ?? [];
  await clipSheet({
    path,
    out,
    first: Number(first),
    every: Number(every),
    count: Number(count),
    part: [x, y, w],
  });
}
