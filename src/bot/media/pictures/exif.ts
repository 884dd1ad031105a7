/** The rotation and mirroring with which to show a picture: 1 to 8, as in EXIF. */
export type Orientation = number;

const TAG = 0x0112;
const ENTRIES_MAX = 1_000;

/** Reads the orientation in a TIFF structure (the format of EXIF); returns 1 if there is none. */
export function readOrientation(tiff: Uint8Array): Orientation {
  const view = new DataView(tiff.buffer, tiff.byteOffset, tiff.byteLength);
  if (view.byteLength < 8) return 1;
  const order = view.getUint16(0);
  if (order !== 0x4949 && order !== 0x4d4d) return 1;
  const isLittle = order === 0x4949;
  const start = view.getUint32(4, isLittle);
  if (start + 2 > view.byteLength) return 1;
  const count = Math.min(view.getUint16(start, isLittle), ENTRIES_MAX);
  for (let entry = start + 2; entry < start + 2 + count * 12; entry += 12) {
    if (entry + 10 > view.byteLength) return 1;
    if (view.getUint16(entry, isLittle) !== TAG) continue;
    const value = view.getUint16(entry + 8, isLittle);
    return value >= 1 && value <= 8 ? value : 1;
  }
  return 1;
}

/** Returns a TIFF structure that contains only the orientation. */
export function writeOrientation(orientation: Orientation): Buffer {
  const tiff = Buffer.alloc(26);
  tiff.write('MM', 0, 'latin1');
  tiff.writeUInt16BE(42, 2);
  tiff.writeUInt32BE(8, 4);
  tiff.writeUInt16BE(1, 8);
  tiff.writeUInt16BE(TAG, 10);
  tiff.writeUInt16BE(3, 12);
  tiff.writeUInt32BE(1, 14);
  tiff.writeUInt16BE(orientation, 18);
  return tiff;
}
