import type { Patch } from '../edit.ts';
import { type Examined, recordingOf } from '../examined.ts';
import { damaged } from '../media-error.ts';
import type { MediaSource } from '../media-source.ts';

const STREAM_INFO = 0;
const PADDING = 1;
const SEEK_TABLE = 3;
const IS_LAST = 0x80;
const BLOCKS_MAX = 1_000;
const OLD_TAG_BYTES = 128;

/** A FLAC keeps its sound and the table to seek by; comments, pictures and the rest become padding. */
export async function examineFlac(source: MediaSource): Promise<Examined> {
  if ((await source.tag(0)) !== 'fLaC') throw damaged('a FLAC with something in front');
  const patches: Patch[] = [];
  let durationSeconds = 0;
  let at = 4;
  for (let blocks = 0, isLast = false; !isLast; blocks += 1) {
    if (blocks === BLOCKS_MAX) throw damaged('a FLAC has too many blocks');
    const head = await source.bytes(at, 4);
    const type = (head[0] ?? 0) & 0x7f;
    const length = head.readUIntBE(1, 3);
    isLast = ((head[0] ?? 0) & IS_LAST) !== 0;
    if (at + 4 + length > source.sizeBytes) throw damaged('a FLAC ends too early');
    if (type === STREAM_INFO) durationSeconds = durationOf(await source.bytes(at + 4, 18));
    else if (type !== SEEK_TABLE) {
      patches.push(
        { at, bytes: Buffer.from([PADDING | (isLast ? IS_LAST : 0)]) },
        { at: at + 4, zeros: length },
      );
    }
    at += 4 + length;
  }
  if (!(durationSeconds > 0)) throw damaged('a FLAC that does not tell its length');
  const tail = source.sizeBytes - OLD_TAG_BYTES;
  if (tail > at && (await source.tag(tail, 3)) === 'TAG') patches.push({ at: tail, zeros: OLD_TAG_BYTES });
  return recordingOf({ how: 'patch', patches }, durationSeconds);
}

function durationOf(info: Buffer): number {
  const rateHz = info.readUIntBE(10, 3) >> 4;
  const samples = ((info[13] ?? 0) & 0x0f) * 2 ** 32 + info.readUInt32BE(14);
  return rateHz === 0 ? 0 : samples / rateHz;
}
