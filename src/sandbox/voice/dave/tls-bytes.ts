/** The functions of this file encode big-endian integers and vectors as MLS does (RFC 9420, section 2.1). */
export function u8(value: number): Buffer {
  return Buffer.from([value]);
}

export function u16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16BE(value);
  return bytes;
}

export function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

export function u64(value: bigint): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(value);
  return bytes;
}

/**
 * Returns the bytes, preceded by their length, which is encoded in as few bytes as possible. Throws `RangeError` for
 * 2^30 bytes or more.
 */
export function vector(...parts: readonly Uint8Array[]): Buffer {
  const body = Buffer.concat(parts);
  return Buffer.concat([lengthHeader(body.byteLength), body]);
}

function lengthHeader(length: number): Buffer {
  if (length < 2 ** 6) return u8(length);
  if (length < 2 ** 14) return u16(length + 0x4000);
  if (length < 2 ** 30) return u32(length + 0x8000_0000);
  throw new RangeError(`Cannot write a vector of ${length} bytes`);
}
