import { crc32 } from 'node:zlib';
import { Pieces } from '../edit.ts';
import { type Examined, pictureOf } from '../examined.ts';
import { damaged } from '../media-error.ts';
import type { MediaSource } from '../media-source.ts';
import { readOrientation, writeOrientation } from './exif.ts';

const SIGNATURE_BYTES = 8;
const EXIF_BYTES_MAX = 1024 * 1024;
/** The chunks that make up the picture, or its frames if it is animated. A file may have any number of them. */
const REPEATED: ReadonlySet<string> = new Set('IDAT fcTL fdAT'.split(' '));
/** The chunks that describe the picture and its colours. None contains names or text. */
const SINGLE: ReadonlySet<string> = new Set(
  'IHDR PLTE IEND tRNS gAMA cHRM sRGB iCCP sBIT bKGD pHYs hIST cICP mDCV cLLI acTL eXIf'.split(' '),
);

/**
 * Examines a PNG. The clean file keeps its picture and orientation; text, times and unknown chunks are removed. The
 * format allows most types of chunk only once, and decoders ignore repeats. Repeats are removed, because the decoder
 * would report each of them to the thread that waits for the picture.
 */
export async function examinePng(source: MediaSource): Promise<Examined> {
  const pieces = new Pieces();
  const found = new Set<string>();
  pieces.keep(0, SIGNATURE_BYTES);
  for (let at = SIGNATURE_BYTES; ;) {
    const head = await source.bytes(at, 8);
    const length = head.readUInt32BE();
    const type = head.toString('latin1', 4);
    const end = at + 12 + length;
    if (end > source.sizeBytes) throw damaged('a PNG ends too early');
    if (REPEATED.has(type)) pieces.keep(at, end);
    else if (SINGLE.has(type) && !found.has(type)) {
      found.add(type);
      if (type === 'eXIf') await keepOrientation(source, pieces, { at, length });
      else pieces.keep(at, end);
    }
    // Anything after the end is not part of the picture.
    if (type === 'IEND') return pictureOf({ how: 'rebuild', pieces: pieces.all });
    at = end;
  }
}

async function keepOrientation(
  source: MediaSource,
  pieces: Pieces,
  { at, length }: { readonly at: number; readonly length: number },
): Promise<void> {
  const orientation = readOrientation(await source.bytes(at + 8, Math.min(length, EXIF_BYTES_MAX)));
  if (orientation !== 1) pieces.add(chunk('eXIf', writeOrientation(orientation)));
}

function chunk(type: string, body: Uint8Array): Buffer {
  const framed = Buffer.alloc(12 + body.length);
  framed.writeUInt32BE(body.length);
  framed.write(type, 4, 'latin1');
  framed.set(body, 8);
  framed.writeUInt32BE(crc32(framed.subarray(4, 8 + body.length)), 8 + body.length);
  return framed;
}
