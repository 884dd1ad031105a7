/** The Matroska elements in use, with their names from the specification. */
const EBML = 0x1a45dfa3;
const DOC_TYPE = 0x4282;
const SEGMENT = 0x18538067;
const INFO = 0x1549a966;
const TIMESTAMP_SCALE = 0x2ad7b1;
const TRACKS = 0x1654ae6b;
const TRACK_ENTRY = 0xae;
const TRACK_NUMBER = 0xd7;
const TRACK_UID = 0x73c5;
const TRACK_TYPE = 0x83;
const CODEC_ID = 0x86;
const VIDEO = 0xe0;
const PIXEL_WIDTH = 0xb0;
const PIXEL_HEIGHT = 0xba;
const UNCOMPRESSED_FOURCC = 0x2eb524;
const CLUSTER = 0x1f43b675;
const CLUSTER_TIMESTAMP = 0xe7;
const BLOCK_GROUP = 0xa0;
const BLOCK = 0xa1;
const BLOCK_DURATION = 0x9b;

const MICROSECONDS = 1e6;
const UNKNOWN_SIZE = Uint8Array.of(0x01, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff);

/**
 * Returns the beginning of a Matroska stream of raw 4:2:0 pictures with times in microseconds. In this format, FFmpeg
 * accepts raw pictures with individual times.
 */
export function mkvHeader(width: number, height: number): Uint8Array {
  const text = (value: string): Uint8Array => new TextEncoder().encode(value);
  const track = element(
    TRACK_ENTRY,
    element(TRACK_NUMBER, uint(1)),
    element(TRACK_UID, uint(1)),
    element(TRACK_TYPE, uint(1)),
    element(CODEC_ID, text('V_UNCOMPRESSED')),
    element(
      VIDEO,
      element(PIXEL_WIDTH, uint(width)),
      element(PIXEL_HEIGHT, uint(height)),
      element(UNCOMPRESSED_FOURCC, text('I420')),
    ),
  );
  return joined(
    element(EBML, element(DOC_TYPE, text('matroska'))),
    id(SEGMENT),
    UNKNOWN_SIZE,
    element(INFO, element(TIMESTAMP_SCALE, uint(1e9 / MICROSECONDS))),
    element(TRACKS, track),
  );
}

/** Returns the header of one picture, which is a cluster of its own. */
export function mkvPictureHeader(sizeBytes: number, timestamp: number, duration: number): Uint8Array {
  const time = element(CLUSTER_TIMESTAMP, uint(Math.round(timestamp * MICROSECONDS)));
  const length = element(BLOCK_DURATION, uint(Math.round(duration * MICROSECONDS)));
  const block = Uint8Array.of(0x81, 0, 0, 0);
  const blockHeader = joined(id(BLOCK), size(block.length + sizeBytes), block);
  const group = joined(length, blockHeader);
  const groupHeader = joined(id(BLOCK_GROUP), size(group.length + sizeBytes));
  const cluster = joined(time, groupHeader, group);
  return joined(id(CLUSTER), size(cluster.length + sizeBytes), cluster);
}

function element(code: number, ...parts: readonly Uint8Array[]): Uint8Array {
  const body = joined(...parts);
  return joined(id(code), size(body.length), body);
}

function id(code: number): Uint8Array {
  return uint(code);
}

function size(length: number): Uint8Array {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(length));
  bytes[0] = 0x01;
  return bytes;
}

/** Encodes an unsigned integer as big-endian bytes without leading zeros. */
function uint(value: number): Uint8Array {
  const bytes: number[] = [];
  for (let rest = value; rest >= 1 || bytes.length === 0; rest = Math.floor(rest / 256)) {
    bytes.unshift(rest % 256);
  }
  return Uint8Array.from(bytes);
}

function joined(...parts: readonly Uint8Array[]): Uint8Array {
  return new Uint8Array(Buffer.concat(parts));
}
