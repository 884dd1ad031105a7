/** Writes the lowest byte of any value; the functions below write more bytes in the same way. */
export function u8(value: number): Buffer {
  return Buffer.from([value & 0xff]);
}

export function u16(value: number): Buffer {
  return Buffer.from([(value >> 8) & 0xff, value & 0xff]);
}

export function u24(value: number): Buffer {
  return u32(value).subarray(1);
}

export function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value % 2 ** 32);
  return bytes;
}

export function u64(value: number | bigint): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(BigInt.asUintN(64, BigInt(value)));
  return bytes;
}

export function le16(value: number): Buffer {
  return Buffer.from(u16(value).toReversed());
}

export function le32(value: number): Buffer {
  return Buffer.from(u32(value).toReversed());
}

export function le64(value: number | bigint): Buffer {
  return Buffer.from(u64(value).toReversed());
}

export function tag(text: string): Buffer {
  return Buffer.from(text, 'latin1');
}
