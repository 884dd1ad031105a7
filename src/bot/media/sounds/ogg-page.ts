import { damaged } from '../media-error.ts';
import type { MediaSource } from '../media-source.ts';

/** A page of an Ogg file. */
export interface OggPage {
  readonly at: number;
  /** The size of the header alone; `sizeBytes` includes the body. */
  readonly headBytes: number;
  readonly sizeBytes: number;
  readonly serial: number;
  readonly isFirst: boolean;
  readonly continues: boolean;
  /** The number of samples up to the last packet that ends on the page; `undefined` if no packet ends on it. */
  readonly granule: number | undefined;
  /** The lengths of the segments in the body; after a length of 255, the packet continues. */
  readonly lacing: Uint8Array;
}

const FIXED_BYTES = 27;
const CRC_AT = 22;
const NO_GRANULE = 0xffff_ffff_ffff_ffffn;

export async function oggPageAt(source: MediaSource, at: number): Promise<OggPage> {
  const head = await source.bytes(at, FIXED_BYTES);
  if (head.toString('latin1', 0, 4) !== 'OggS') throw damaged('an Ogg page is missing');
  const lacing = await source.bytes(at + FIXED_BYTES, head[26] ?? 0);
  const headBytes = FIXED_BYTES + lacing.length;
  const flags = head[5] ?? 0;
  const granule = head.readBigUInt64LE(6);
  return {
    at,
    headBytes,
    sizeBytes: headBytes + lacing.reduce((sum, length) => sum + length, 0),
    serial: head.readUInt32LE(14),
    isFirst: (flags & 0x02) !== 0,
    continues: (flags & 0x01) !== 0,
    granule: granule === NO_GRANULE ? undefined : Number(granule),
    lacing,
  };
}

/** Updates the checksum of a page after its bytes have changed. */
export function sealOggPage(page: Buffer): void {
  page.writeUInt32LE(0, CRC_AT);
  let crc = 0;
  for (const byte of page) crc = ((crc << 8) ^ (CRC_TABLE[((crc >>> 24) ^ byte) & 0xff] ?? 0)) >>> 0;
  page.writeUInt32LE(crc, CRC_AT);
}

const CRC_TABLE: Uint32Array = Uint32Array.from({ length: 256 }, (_none, index) => {
  let rest = index << 24;
  for (let bit = 0; bit < 8; bit += 1) rest = rest & 0x8000_0000 ? (rest << 1) ^ 0x04c1_1db7 : rest << 1;
  return rest >>> 0;
});
