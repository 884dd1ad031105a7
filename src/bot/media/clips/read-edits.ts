import { unclearLength } from '../media-error.ts';
import { type Box, findBox, tableOf } from './mp4-boxes.ts';

/**
 * The time that an edit list inserts before the track begins, and the total length that is played, both in units of the
 * clip's clock.
 */
interface Edits {
  readonly empty: number;
  readonly total: number;
}

const USUAL_RATE = 0x1_0000;
const EMPTY = -1;

/**
 * Reads the edit list of a `trak` box. Cameras and phones write one edit that aligns the start; if the track starts
 * late, an empty edit precedes it. Throws `MediaError` for a list that plays parts of the track several times or at a
 * different speed.
 */
export function readEdits(bytes: Buffer, trak: Box): Edits {
  const box = findBox(bytes, trak, ['edts', 'elst']);
  if (!box) return { empty: 0, total: 0 };
  const isLong = bytes[box.body] === 1;
  const edits = tableOf(bytes, box, isLong ? 20 : 12);
  let empty = 0;
  let total = 0;
  let played = 0;
  for (let index = 0; index < edits.count; index += 1) {
    const row = edits.row(index);
    const length = isLong ? Number(bytes.readBigUInt64BE(row)) : bytes.readUInt32BE(row);
    const from = isLong ? Number(bytes.readBigInt64BE(row + 8)) : bytes.readInt32BE(row + 4);
    total += length;
    if (from === EMPTY) {
      empty += length;
      continue;
    }
    played += 1;
    const rate = bytes.readUInt32BE(row + (isLong ? 16 : 8));
    if (played > 1 || from < 0 || rate !== USUAL_RATE) {
      throw unclearLength('edits', 'the edit list of a clip does more than align its start');
    }
  }
  return { empty, total };
}
