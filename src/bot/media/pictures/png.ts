import { crc32 } from 'node:zlib';
import { Pieces } from '../edit.ts';
import { type Examined, pictureOf } from '../examined.ts';
import { damaged } from '../media-error.ts';
import type { MediaSource } from '../media-source.ts';
import { readOrientation, writeOrientation } from './exif.ts';

const SIGNATURE_BYTES = 8;
const EXIF_BYTES_MAX = 1024 * 1024;
/** The chunks that make up the picture (one frame or many) and define its colours; none contains names or texts. */
const KEPT: ReadonlySet<string> = new Set(
  'IHDR PLTE IDAT IEND tRNS gAMA cHRM sRGB iCCP sBIT bKGD pHYs hIST cICP mDCV cLLI acTL fcTL fdAT'.split(' '),
);

/** Examines a PNG. The clean file keeps its picture and orientation; texts, times and unknown chunks are removed. */
export async function examinePng(source: MediaSource): Promise<Examined> {
  const pieces = new Pieces();
  pieces.keep(0, SIGNATURE_BYTES);
  for (let at = SIGNATURE_BYTES; ;) {
    const head = await source.bytes(at, 8);
    const length = head.readUInt32BE();
    const type = head.toString('latin1', 4);
    const end = at + 12 + length;
    if (end > source.sizeBytes) throw damaged('a PNG ends too early');
    if (KEPT.has(type)) pieces.keep(at, end);
    else if (type === 'eXIf') {
      const orientation = readOrientation(await source.bytes(at + 8, Math.min(length, EXIF_BYTES_MAX)));
      if (orientation !== 1) pieces.add(chunk('eXIf', writeOrientation(orientation)));
    }
    // Everything after the end is no part of the picture.
    if (type === 'IEND') return pictureOf({ how: 'rebuild', pieces: pieces.all });
    at = end;
  }
}

function chunk(type: string, body: Uint8Array): Buffer {
  const framed = Buffer.alloc(12 + body.length);
  framed.writeUInt32BE(body.length);
  framed.write(type, 4, 'latin1');
  framed.set(body, 8);
  framed.writeUInt32BE(crc32(framed.subarray(4, 8 + body.length)), 8 + body.length);
  return framed;
}
