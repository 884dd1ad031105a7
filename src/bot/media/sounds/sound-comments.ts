import { damaged } from '../media-error.ts';

/** The first characters and the last bytes of a comment packet. */
interface CommentForm {
  readonly mark: string;
  readonly end: readonly number[];
}

export const VORBIS_COMMENTS: CommentForm = { mark: '\x03vorbis', end: [1] };

const FLAC_HEAD_BYTES = 4;
const STREAM_INFO = 0;
const PADDING = 1;
const IS_LAST = 0x80;

/** Returns a packet of `length` bytes without comments. A program name of zeros fills the space. */
export function emptyComments({ mark, end }: CommentForm, length: number): Buffer {
  const nameBytes = length - mark.length - 8 - end.length;
  if (nameBytes < 0) throw damaged('the comments of a sound are too short');
  const packet = Buffer.alloc(length);
  packet.write(mark, 0, 'latin1');
  packet.writeUInt32LE(nameBytes, mark.length);
  packet.set(end, length - end.length);
  return packet;
}

/** Returns the metadata blocks of a FLAC track in a container; all blocks but the first become padding. */
export function withoutFlacComments(blocks: Buffer): Buffer {
  const result = Buffer.from(blocks);
  for (let at = 0; at < result.length;) {
    if (at + FLAC_HEAD_BYTES > result.length) {
      result.fill(0, at);
      break;
    }
    const type = result.readUInt8(at);
    const body = at + FLAC_HEAD_BYTES;
    const end = Math.min(result.length, body + result.readUIntBE(at + 1, 3));
    if (at > 0 || (type & ~IS_LAST) !== STREAM_INFO) {
      result.writeUInt8(PADDING | (type & IS_LAST), at);
      result.fill(0, body, end);
    }
    at = end;
  }
  return result;
}
