/**
 * Returns pixels as 32-bit words (red lowest, alpha highest) over the same memory, or over a copy if `data` is not
 * aligned.
 */
export function pixelWords(data: Uint8Array): Int32Array {
  if (data.byteOffset % 4 !== 0) return pixelWords(Uint8Array.from(data));
  return new Int32Array(data.buffer, data.byteOffset, data.length >> 2);
}
