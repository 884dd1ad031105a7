import sharp from 'sharp';

export interface WorstFile {
  readonly name: string;
  readonly bytes: Uint8Array;
}

const SIDE = 7_070;
const PARTS = 4_500_000;
const FRAME = Buffer.alloc(100);

/**
 * Creates a picture with as many pixels as allowed, interlaced: a small file that takes a second and 400 MB
 * to decode.
 */
export async function worstPicture(): Promise<WorstFile> {
  const bytes = await sharp({
    create: { width: SIDE, height: SIDE, channels: 3, background: { r: 90, g: 120, b: 40 } },
    limitInputPixels: false,
  })
    .png({ progressive: true, compressionLevel: 9 })
    .toBuffer();
  return { name: 'worst.png', bytes };
}

/**
 * Creates a clip whose one cluster contains millions of empty unknown elements; with few of them it is valid.
 */
export function worstClip(parts: number = PARTS): WorstFile {
  const head = element([0x1a, 0x45, 0xdf, 0xa3], element([0x42, 0x82], Buffer.from('webm')));
  const info = element(
    [0x15, 0x49, 0xa9, 0x66],
    element([0x2a, 0xd7, 0xb1], Buffer.from([0x0f, 0x42, 0x40])),
  );
  const video = element([0xe0], element([0xb0], Buffer.from([64])), element([0xba], Buffer.from([64])));
  const track = element(
    [0xae],
    element([0xd7], Buffer.from([1])),
    element([0x73, 0xc5], Buffer.from([1])),
    element([0x83], Buffer.from([1])),
    element([0x86], Buffer.from('V_VP8')),
    video,
  );
  const time = element([0xe7], Buffer.from([0]));
  const unknown = Buffer.alloc(2 * parts, Buffer.from([0xfd, 0x80]));
  const first = element([0xa3], Buffer.from([0x81, 0, 0, 0x80]), FRAME);
  const last = element([0xa3], Buffer.from([0x81, 0x03, 0xe8, 0x80]), FRAME);
  const cluster = element([0x1f, 0x43, 0xb6, 0x75], time, first, unknown, last);
  const segment = element([0x18, 0x53, 0x80, 0x67], info, element([0x16, 0x54, 0xae, 0x6b], track), cluster);
  return { name: 'worst.webm', bytes: Buffer.concat([head, segment]) };
}

function element(id: readonly number[], ...parts: readonly Buffer[]): Buffer {
  const data = Buffer.concat(parts);
  const size = Buffer.alloc(8);
  size.writeBigUInt64BE(BigInt(data.length) | (1n << 56n));
  return Buffer.concat([Buffer.from(id), size, data]);
}
