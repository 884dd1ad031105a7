import { Pieces } from '../edit.ts';
import { type Examined, pictureOf } from '../examined.ts';
import { damaged } from '../media-error.ts';
import type { MediaSource } from '../media-source.ts';

const HEAD_BYTES = 13;
const IMAGE = 0x2c;
const EXTENSION = 0x21;
const END = 0x3b;
const GRAPHIC_CONTROL = 0xf9;
const APPLICATION = 0xff;
/** The application extensions to keep: the number of repeats, and the colour profile. */
const KEPT_APPLICATIONS: readonly string[] = ['NETSCAPE2.0', 'ANIMEXTS1.0', 'ICCRGBG1012'];

/**
 * Examines a GIF. The clean file keeps its frames and the number of repeats. Comments, text, XMP and everything after
 * the end are removed.
 */
export async function examineGif(source: MediaSource): Promise<Examined> {
  const pieces = new Pieces();
  let at = HEAD_BYTES + colourTableBytes((await source.bytes(0, HEAD_BYTES))[10]);
  pieces.keep(0, at);
  for (;;) {
    const [introducer, label] = await source.upTo(at, 2);
    if (introducer === END) {
      pieces.keep(at, at + 1);
      return pictureOf({ how: 'rebuild', pieces: pieces.all });
    }
    if (introducer === IMAGE) {
      const body = at + 10 + colourTableBytes((await source.bytes(at, 10))[9]) + 1;
      const end = await endOfBlocks(source, body);
      pieces.keep(at, end);
      at = end;
    } else if (introducer === EXTENSION) {
      const end = await endOfBlocks(source, at + 2);
      const isKept =
        label === GRAPHIC_CONTROL ||
        (label === APPLICATION && KEPT_APPLICATIONS.includes(await source.tag(at + 3, 11)));
      if (isKept) pieces.keep(at, end);
      at = end;
    } else throw damaged('a GIF has an unknown block');
  }
}

function colourTableBytes(flags: number = 0): number {
  return flags & 0x80 ? 3 * 2 ** ((flags & 0x07) + 1) : 0;
}

async function endOfBlocks(source: MediaSource, from: number): Promise<number> {
  for (let at = from; ;) {
    const [length = 0] = await source.bytes(at, 1);
    at += 1 + length;
    if (length === 0) return at;
  }
}
