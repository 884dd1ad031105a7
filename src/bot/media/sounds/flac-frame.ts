/** The fields of a FLAC frame header. */
export interface FlacFrame {
  readonly samples: number;
  /** The sampling rate; 0 if the frame has the stream's sampling rate. */
  readonly rateHz: number;
  /** The number of the frame, or, in a stream with frames of different sizes, the number of its first sample. */
  readonly number: number;
  readonly countsSamples: boolean;
}

/** The size of the longest possible header, in bytes. */
export const FLAC_HEADER_BYTES = 16;

const RATES_HZ = [0, 88_200, 176_400, 192_000, 8_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000, 96_000];
const FIXED_BYTES = 4;

/** Returns the header at `at` if its checksum is correct; otherwise `undefined`. */
export function flacFrameAt(bytes: Buffer, at: number): FlacFrame | undefined {
  if (bytes[at] !== 0xff || ((bytes[at + 1] ?? 0) & 0xfe) !== 0xf8) return undefined;
  const codes = bytes[at + 2] ?? 0;
  const kinds = bytes[at + 3] ?? 0xff;
  const size = codes >> 4;
  const rate = codes & 0x0f;
  if (size === 0 || rate === 15 || kinds >> 4 > 10 || (kinds & 1) === 1) return undefined;
  const numberBytes = Math.max(1, Math.clz32(~((bytes[at + FIXED_BYTES] ?? 0) << 24)));
  if (numberBytes > 7) return undefined;
  const sizeAt = at + FIXED_BYTES + numberBytes;
  const rateAt = sizeAt + (size === 6 ? 1 : size === 7 ? 2 : 0);
  const end = rateAt + (rate < 12 ? 0 : rate === 12 ? 1 : 2);
  if (end >= bytes.length || checksum8(bytes, at, end) !== bytes[end]) return undefined;
  return {
    samples: samplesOf(bytes, size, sizeAt),
    rateHz: rateOf(bytes, rate, rateAt),
    number: numberOf(bytes.subarray(at + FIXED_BYTES, sizeAt)),
    countsSamples: ((bytes[at + 1] ?? 0) & 1) === 1,
  };
}

/**
 * Decodes a number as in UTF-8: the number of leading one bits in the first byte is the number of bytes, and each
 * further byte holds six bits.
 */
function numberOf([first = 0, ...others]: Uint8Array): number {
  const start = others.length === 0 ? first : first & (0x3f >> others.length);
  return others.reduce((sum, byte) => sum * 64 + (byte & 0x3f), start);
}

function samplesOf(bytes: Buffer, code: number, at: number): number {
  if (code === 1) return 192;
  if (code < 6) return 576 * 2 ** (code - 2);
  if (code === 6) return bytes.readUInt8(at) + 1;
  return code === 7 ? bytes.readUInt16BE(at) + 1 : 256 * 2 ** (code - 8);
}

function rateOf(bytes: Buffer, code: number, at: number): number {
  if (code < 12) return RATES_HZ[code] ?? 0;
  if (code === 12) return bytes.readUInt8(at) * 1_000;
  return bytes.readUInt16BE(at) * (code === 13 ? 1 : 10);
}

function checksum8(bytes: Buffer, from: number, to: number): number {
  let checksum = 0;
  for (let at = from; at < to; at += 1) checksum = CHECKSUMS_8[checksum ^ (bytes[at] ?? 0)] ?? 0;
  return checksum;
}

const CHECKSUMS_8: Uint8Array = Uint8Array.from({ length: 256 }, (_none, index) => {
  let rest = index;
  for (let bit = 0; bit < 8; bit += 1) rest = rest & 0x80 ? ((rest << 1) ^ 0x07) & 0xff : rest << 1;
  return rest;
});

/**
 * Continues the checksum of a frame over further bytes. After a whole frame, including the stored checksum at its end,
 * the result is 0.
 */
export function flacChecksum(checksum: number, bytes: Buffer, from: number, to: number): number {
  let result = checksum;
  for (let at = from; at < to; at += 1) {
    result = ((result << 8) & 0xffff) ^ (CHECKSUMS_16[(result >> 8) ^ (bytes[at] ?? 0)] ?? 0);
  }
  return result;
}

const CHECKSUMS_16: Uint16Array = Uint16Array.from({ length: 256 }, (_none, index) => {
  let rest = index << 8;
  for (let bit = 0; bit < 8; bit += 1) rest = rest & 0x8000 ? ((rest << 1) ^ 0x8005) & 0xffff : rest << 1;
  return rest;
});
