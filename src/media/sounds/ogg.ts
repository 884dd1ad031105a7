import type { Patch } from '../edit.ts';
import { type Examined, recordingOf } from '../examined.ts';
import { MediaError, damaged } from '../media-error.ts';
import type { MediaSource } from '../media-source.ts';
import { type OggPage, oggPageAt, sealOggPage } from './ogg-page.ts';

const COMMENT_BYTES_MAX = 16 * 1024 * 1024;
const OPUS_RATE_HZ = 48_000;
const STREAMS_MAX = 1_000;

interface Codec {
  readonly rateHz: number;
  /** Samples at the start that are not heard. */
  readonly skip: number;
  /** What the packet of comments begins and ends with. */
  readonly mark: string;
  readonly end: readonly number[];
}

interface Stream {
  readonly codec: Codec;
  /** Of the packet that the next page begins with or goes on with. */
  packet: number;
  /** The packet of comments: its pages, and where in each of them it lies. */
  readonly comments: { readonly page: OggPage; readonly from: number; readonly length: number }[];
  lastGranule: number;
}

/**
 * An Ogg file of Opus or Vorbis keeps its sound; its comments (words and pictures) are overwritten by an empty
 * list of the same length, so that no page changes its size.
 */
export async function examineOgg(source: MediaSource): Promise<Examined> {
  const open = new Map<number, Stream>();
  const all: Stream[] = [];
  let commentBytes = 0;
  for (let at = 0; at < source.sizeBytes;) {
    const page = await oggPageAt(source, at);
    if (page.isFirst) {
      const stream = { codec: await codecOf(source, page), packet: 0, comments: [], lastGranule: 0 };
      open.set(page.serial, stream);
      if (all.push(stream) > STREAMS_MAX) throw damaged('an Ogg has too many streams');
    }
    const stream = open.get(page.serial);
    if (!stream || at + page.sizeBytes > source.sizeBytes) throw damaged('an Ogg page is not whole');
    commentBytes += followPackets(stream, page);
    if (commentBytes > COMMENT_BYTES_MAX) throw damaged('an Ogg has too many comments');
    stream.lastGranule = Math.max(stream.lastGranule, page.granule ?? 0);
    at += page.sizeBytes;
  }
  const patches: Patch[] = [];
  for (const stream of all) patches.push(...(await emptyComments(source, stream)));
  return recordingOf(
    { how: 'patch', patches },
    all.reduce((sum, stream) => sum + durationOf(stream), 0),
  );
}

function durationOf({ codec, lastGranule }: Stream): number {
  return Math.max(0, lastGranule - codec.skip) / codec.rateHz;
}

async function codecOf(source: MediaSource, page: OggPage): Promise<Codec> {
  const head = await source.upTo(page.at + page.headBytes, 19);
  if (head.toString('latin1', 0, 8) === 'OpusHead' && head.length === 19) {
    return { rateHz: OPUS_RATE_HZ, skip: head.readUInt16LE(10), mark: 'OpusTags', end: [] };
  }
  const isVorbis = head.toString('latin1', 0, 7) === '\x01vorbis' && head.length >= 16;
  if (isVorbis && head.readUInt32LE(12) > 0) {
    return { rateHz: head.readUInt32LE(12), skip: 0, mark: '\x03vorbis', end: [1] };
  }
  throw new MediaError(
    { kind: 'unsupported_format', expected: 'audio', format: 'OGG' },
    'an Ogg of something other than Opus or Vorbis',
  );
}

/** Notes where the page holds comments; returns how many bytes of them. */
function followPackets(stream: Stream, page: OggPage): number {
  let noted = 0;
  let from = page.headBytes;
  let length = 0;
  for (const [index, lace] of page.lacing.entries()) {
    length += lace;
    const endsPacket = lace < 255;
    if (!endsPacket && index < page.lacing.length - 1) continue;
    if (stream.packet === 1) {
      stream.comments.push({ page, from, length });
      noted += length;
    }
    if (endsPacket) stream.packet += 1;
    from += length;
    length = 0;
  }
  return noted;
}

async function emptyComments(source: MediaSource, { codec, comments }: Stream): Promise<Patch[]> {
  const length = comments.reduce((sum, part) => sum + part.length, 0);
  const empty = emptyPacket(codec, length);
  const patches: Patch[] = [];
  let done = 0;
  for (const part of comments) {
    const bytes = await source.bytes(part.page.at, part.page.sizeBytes);
    const isFirst = done === 0;
    if (isFirst && bytes.toString('latin1', part.from, part.from + codec.mark.length) !== codec.mark) {
      throw damaged('the comments of an Ogg are not where they belong');
    }
    bytes.set(empty.subarray(done, done + part.length), part.from);
    sealOggPage(bytes);
    patches.push({ at: part.page.at, bytes });
    done += part.length;
  }
  return patches;
}

/** No comments, and a name of the program that fills up what is left with zeros. */
function emptyPacket({ mark, end }: Codec, length: number): Buffer {
  const nameBytes = length - mark.length - 8 - end.length;
  if (nameBytes < 0) throw damaged('the comments of an Ogg are too short');
  const packet = Buffer.alloc(length);
  packet.write(mark, 0, 'latin1');
  packet.writeUInt32LE(nameBytes, mark.length);
  packet.set(end, length - end.length);
  return packet;
}
