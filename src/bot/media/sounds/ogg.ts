import { Patches } from '../edit.ts';
import { type Examined, recordingOf } from '../examined.ts';
import { MediaError, damaged, unclearLength } from '../media-error.ts';
import type { MediaSource } from '../media-source.ts';
import { type OggPage, oggPageAt, sealOggPage } from './ogg-page.ts';
import { opusMeter } from './opus-meter.ts';
import { VORBIS_COMMENTS, emptyComments } from './sound-comments.ts';
import type { SoundMeter } from './sound-meter.ts';
import { vorbisMeter } from './vorbis-meter.ts';

const COMMENT_BYTES_MAX = 16 * 1024 * 1024;
/** The size limit of a stream's third packet, which has a few kilobytes in Vorbis. */
const SETUP_BYTES_MAX = 256 * 1024;
const OPUS_RATE_HZ = 48_000;
const STREAMS_MAX = 1_000;
const IDENTIFICATION_BYTES = 30;
const COMMENTS = 1;
const SETUP = 2;

interface Codec {
  readonly rateHz: number;
  /** The first characters and the last bytes of the comment packet. */
  readonly mark: string;
  readonly end: readonly number[];
  /** The number of header packets before the sound. */
  readonly heads: number;
  /** Creates the meter; `setup` is the third packet if the codec has one. */
  readonly meter: (setup: Buffer) => SoundMeter;
}

interface Stream {
  readonly codec: Codec;
  /** The number of complete packets so far, and whether another packet has started. */
  packet: number;
  isInside: boolean;
  /** The pages of the comment packet, and its range in each of them. */
  readonly comments: { readonly page: OggPage; readonly from: number; readonly length: number }[];
  setup: Buffer;
  meter: SoundMeter | undefined;
  seconds: number;
}

/**
 * Examines an Ogg file of Opus or Vorbis. The clean file keeps its sound. An empty list of the same length overwrites
 * the comments (text and pictures), so that no page changes size. The duration is that of the packets. If the
 * timestamps run ahead of the packets, the gap counts too, because a decoder may fill it.
 */
export async function examineOgg(source: MediaSource): Promise<Examined> {
  const open = new Map<number, Stream>();
  const all: Stream[] = [];
  let commentBytes = 0;
  for (let at = 0; at < source.sizeBytes;) {
    const page = await oggPageAt(source, at);
    if (page.isFirst) {
      // RFC 3533 requires different serial numbers. Programs that rely on this play the second stream's headers as
      // sound.
      if (open.has(page.serial))
        throw unclearLength('twice', 'two streams of an Ogg have the same serial number');
      const stream = newStream(await codecOf(source, page));
      open.set(page.serial, stream);
      if (all.push(stream) > STREAMS_MAX) throw damaged('an Ogg has too many streams');
    }
    const stream = open.get(page.serial);
    if (!stream || at + page.sizeBytes > source.sizeBytes) throw damaged('an Ogg page is incomplete');
    commentBytes += followPackets(stream, page, await source.bytes(at, page.sizeBytes));
    if (commentBytes > COMMENT_BYTES_MAX) throw damaged('an Ogg has too many comments');
    stream.seconds = Math.max(stream.seconds, (page.granule ?? 0) / stream.codec.rateHz);
    at += page.sizeBytes;
  }
  const patches = new Patches();
  for (const stream of all) await eraseComments(source, stream, patches);
  return recordingOf(
    { how: 'patch', patches: patches.all },
    all.reduce((sum, { seconds }) => sum + seconds, 0),
  );
}

function newStream(codec: Codec): Stream {
  const setup = Buffer.alloc(0);
  return { codec, packet: 0, isInside: false, comments: [], setup, meter: undefined, seconds: 0 };
}

async function codecOf(source: MediaSource, page: OggPage): Promise<Codec> {
  const head = await source.upTo(page.at + page.headBytes, IDENTIFICATION_BYTES);
  if (head.toString('latin1', 0, 8) === 'OpusHead' && head.length >= 19) {
    return { rateHz: OPUS_RATE_HZ, mark: 'OpusTags', end: [], heads: 2, meter: () => opusMeter };
  }
  const isVorbis = head.toString('latin1', 0, 7) === '\x01vorbis' && head.length === IDENTIFICATION_BYTES;
  if (isVorbis && head.readUInt32LE(12) > 0) {
    const meter = (setup: Buffer): SoundMeter => vorbisMeter(head, setup);
    return { rateHz: head.readUInt32LE(12), ...VORBIS_COMMENTS, heads: 3, meter };
  }
  throw new MediaError(
    { kind: 'unsupported_format', expected: 'audio', format: 'OGG' },
    'an Ogg of something other than Opus or Vorbis',
  );
}

/**
 * Measures the packets of a page and records where it contains comments. Returns the number of bytes that need a new
 * checksum.
 */
function followPackets(stream: Stream, page: OggPage, bytes: Buffer): number {
  let noted = 0;
  let from = page.headBytes;
  let length = 0;
  // If the rest of a packet has been lost, some decoders treat its first part as a complete packet.
  if (!page.continues) stream.isInside = false;
  for (const [index, lace] of page.lacing.entries()) {
    length += lace;
    const endsPacket = lace < 255;
    if (!endsPacket && index < page.lacing.length - 1) continue;
    if (stream.packet === COMMENTS) {
      stream.comments.push({ page, from, length });
      noted += page.sizeBytes;
    } else if (stream.packet >= COMMENTS) followSound(stream, bytes.subarray(from, from + length));
    if (endsPacket) stream.packet += 1;
    stream.isInside = !endsPacket;
    from += length;
    length = 0;
  }
  return noted;
}

function followSound(stream: Stream, part: Buffer): void {
  const { codec } = stream;
  if (stream.packet < codec.heads) {
    if (stream.packet !== SETUP) return;
    if (stream.setup.length + part.length > SETUP_BYTES_MAX)
      throw damaged('the setup of an Ogg is too large');
    stream.setup = Buffer.concat([stream.setup, part]);
  } else if (!stream.isInside) {
    stream.meter ??= codec.meter(stream.setup);
    stream.seconds += stream.meter.seconds(part, part.length);
  }
}

async function eraseComments(
  source: MediaSource,
  { codec, comments }: Stream,
  patches: Patches,
): Promise<void> {
  const length = comments.reduce((sum, part) => sum + part.length, 0);
  const empty = emptyComments(codec, length);
  let done = 0;
  for (const part of comments) {
    const bytes = await source.bytes(part.page.at, part.page.sizeBytes);
    const isFirst = done === 0;
    if (isFirst && bytes.toString('latin1', part.from, part.from + codec.mark.length) !== codec.mark) {
      throw damaged('an Ogg has no comments in the expected place');
    }
    bytes.set(empty.subarray(done, done + part.length), part.from);
    sealOggPage(bytes);
    patches.write(part.page.at, bytes);
    done += part.length;
  }
}
