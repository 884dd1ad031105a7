import { Patches } from '../edit.ts';
import { type Examined, recordingOf } from '../examined.ts';
import { damaged, unclearLength } from '../media-error.ts';
import type { MediaSource } from '../media-source.ts';
import { FLAC_HEADER_BYTES, flacFrameAt } from './flac-frame.ts';
import { type FlacStream, flacSeconds } from './flac-length.ts';

const STREAM_INFO = 0;
const PADDING = 1;
const SEEK_TABLE = 3;
const IS_LAST = 0x80;
const BLOCKS_MAX = 1_000;
const OLD_TAG_BYTES = 128;

/**
 * Examines a FLAC file. The clean file keeps its sound and seek table. Comments, pictures and all other blocks become
 * padding. The duration is that of the frames or that stated in the header, whichever is longer.
 */
export async function examineFlac(source: MediaSource): Promise<Examined> {
  if ((await source.tag(0)) !== 'fLaC') throw damaged('a FLAC does not start with its signature');
  const patches = new Patches();
  let info: StreamInfo | undefined;
  let at = 4;
  for (let blocks = 0, isLast = false; !isLast; blocks += 1) {
    if (blocks === BLOCKS_MAX) throw damaged('a FLAC has too many blocks');
    const head = await source.bytes(at, 4);
    const type = (head[0] ?? 0) & 0x7f;
    const length = head.readUIntBE(1, 3);
    isLast = ((head[0] ?? 0) & IS_LAST) !== 0;
    if (at + 4 + length > source.sizeBytes) throw damaged('a FLAC ends too early');
    if (type === STREAM_INFO) {
      if (info) throw unclearLength('twice', 'a FLAC describes itself twice');
      info = streamInfo(await source.bytes(at + 4, 18));
    } else if (type !== SEEK_TABLE) {
      patches.write(at, Buffer.from([PADDING | (isLast ? IS_LAST : 0)]));
      patches.zero(at + 4, length);
    }
    at += 4 + length;
  }
  if (!info || info.rateHz === 0) throw damaged('a FLAC does not state its sample rate');
  const tail = source.sizeBytes - OLD_TAG_BYTES;
  const hasTag = tail > at && (await source.tag(tail, 3)) === 'TAG';
  if (hasTag) patches.zero(tail, OLD_TAG_BYTES);
  const to = hasTag ? tail : source.sizeBytes;
  const first = await source.upTo(at, Math.min(FLAC_HEADER_BYTES, to - at));
  // If no complete frame header follows, some programs search for a frame, and others wait for ever.
  if (first.length < FLAC_HEADER_BYTES || !flacFrameAt(first, 0)) {
    throw damaged('a FLAC does not start with a frame');
  }
  const durationSeconds = Math.max(
    info.samples / info.rateHz,
    await flacSeconds(source, info, { from: at, to }),
  );
  return recordingOf({ how: 'patch', patches: patches.all }, durationSeconds);
}

interface StreamInfo extends FlacStream {
  /** The number of samples in the file; 0 if it was not known when the file was written. */
  readonly samples: number;
}

function streamInfo(info: Buffer): StreamInfo {
  return {
    rateHz: info.readUIntBE(10, 3) >> 4,
    frameSamplesMax: info.readUInt16BE(2),
    samples: ((info[13] ?? 0) & 0x0f) * 2 ** 32 + info.readUInt32BE(14),
  };
}
