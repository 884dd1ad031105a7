import sharp, { type Sharp } from 'sharp';
import { crc32 } from 'node:zlib';
import { type TaggedFormat, taggedMedia } from '../tagged-media.ts';

const WIDTH = 48;
const HEIGHT = 32;

function drawn(): Sharp {
  return sharp({ create: { width: WIDTH, height: HEIGHT, channels: 3, background: 'teal' } });
}

/** A file of each supported format, by file extension. */
export const SAMPLES: Readonly<Record<string, () => Promise<Uint8Array>>> = {
  jpg: () => drawn().jpeg().toBuffer(),
  png: () => drawn().png().toBuffer(),
  apng: async () => animated(await drawn().png().toBuffer()),
  webp: () => drawn().webp().toBuffer(),
  gif: () => drawn().gif().toBuffer(),
  mp4: () => taggedMedia('mp4'),
  m4v: () => branded('mp4', 'M4V '),
  mov: () => taggedMedia('mov'),
  '3gp': () => branded('mp4', '3gp6'),
  webm: () => taggedMedia('webm'),
  mkv: () => taggedMedia('mkv'),
  m4a: () => branded('m4a', 'M4A '),
  m4b: () => branded('m4a', 'M4B '),
  wav: () => taggedMedia('wav'),
  mp3: () => taggedMedia('mp3'),
  mp2: () => Promise.resolve(layerTwo()),
  aac: () => taggedMedia('aac'),
  flac: () => taggedMedia('flac'),
  ogg: () => taggedMedia('ogg (Vorbis)'),
  opus: () => taggedMedia('ogg (Opus)'),
};

/** Returns the sample clip with another brand in its first box. */
async function branded(format: TaggedFormat, brand: string): Promise<Uint8Array> {
  const bytes = Buffer.from(await taggedMedia(format));
  bytes.write(brand, 8, 'latin1');
  return bytes;
}

/** Turns a PNG into an animation with that picture as its only frame. */
function animated(png: Buffer): Uint8Array {
  const control = Buffer.alloc(8);
  control.writeUInt32BE(1, 0);
  const frame = Buffer.alloc(26);
  frame.writeUInt32BE(WIDTH, 4);
  frame.writeUInt32BE(HEIGHT, 8);
  frame.writeUInt16BE(1, 20);
  frame.writeUInt16BE(10, 22);
  // The animation chunks follow the signature (8 bytes) and the header (25 bytes).
  const at = 8 + 25;
  return Buffer.concat([png.subarray(0, at), chunk('acTL', control), chunk('fcTL', frame), png.subarray(at)]);
}

function chunk(type: string, body: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), body]);
  const bytes = Buffer.alloc(named.length + 8);
  bytes.writeUInt32BE(body.length, 0);
  named.copy(bytes, 4);
  bytes.writeUInt32BE(crc32(named), bytes.length - 4);
  return bytes;
}

/** Creates about a second of silence as MPEG-1 Layer II frames: at 192 kbit/s and 44,100 Hz, each has 626 bytes. */
function layerTwo(): Uint8Array {
  const frame = Buffer.alloc(626);
  frame.set([0xff, 0xfd, 0xa0, 0x04]);
  return Buffer.concat(Array.from({ length: 38 }, () => frame));
}
