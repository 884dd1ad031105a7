/** The header of a box in an MP4 or QuickTime file. */
interface Mp4BoxHeader {
  /** The box type: four characters. */
  readonly type: string;
  readonly headerBytes: number;
  /** The size of the box, including its header. */
  readonly sizeBytes: number;
}

export const BOX_HEADER_BYTES_MIN = 8;
/** The header size of a box of 4 GiB or more. */
export const BOX_HEADER_BYTES_MAX = 16;

/**
 * Reads the box header at `at`. `leftBytes` is the number of bytes from there to the end of the parent, which is the
 * size of a box whose header does not give one. Returns `undefined` if the header is cut off, or if the box is smaller
 * than its header.
 */
export function mp4BoxHeader(view: DataView, at: number, leftBytes: number): Mp4BoxHeader | undefined {
  if (at + BOX_HEADER_BYTES_MIN > view.byteLength) return undefined;
  const short = view.getUint32(at);
  const headerBytes = short === 1 ? BOX_HEADER_BYTES_MAX : BOX_HEADER_BYTES_MIN;
  if (at + headerBytes > view.byteLength) return undefined;
  const sizeBytes = short === 1 ? Number(view.getBigUint64(at + 8)) : short === 0 ? leftBytes : short;
  if (sizeBytes < headerBytes) return undefined;
  const type = String.fromCharCode(...new Uint8Array(view.buffer, view.byteOffset + at + 4, 4));
  return { type, headerBytes, sizeBytes };
}
