import type { MediaSource } from '../media-source.ts';
import { adtsFrame } from './adts-frame.ts';
import { mpegFrame } from './mpeg-frame.ts';

/** FFmpeg searches the first one or two megabytes for compressed sound. */
const SEARCHED_BYTES = 2 * 1024 * 1024;
const WINDOW_BYTES = 64 * 1024;
const HEADER_BYTES = 8;
/** This many consecutive frames of compressed sound do not occur by chance. */
const CHAIN_MIN = 3;
/** The sync words of DTS and TrueHD, and of sound for a digital output (S/PDIF). */
const LONG_MARKS = ['7ffe8001', 'fe7f0180', '1fffe800', 'ff1f00e8', 'f8726fba', '72f81f4e', 'f8724e1f'].map(
  (mark) => Buffer.from(mark, 'hex'),
);
/** The sync words of AC-3 in both byte orders. In 2 MiB of random data, each occurs about 32 times. */
const SHORT_MARKS = ['0b77', '770b'].map((mark) => Buffer.from(mark, 'hex'));
const SHORT_MARKS_MAX = 200;

/**
 * Returns whether the samples from `from` to `to` look like compressed sound. FFmpeg decodes such samples even if the
 * WAV file declares them as uncompressed: 300 s of MP3 fit into the space of 1.6 s of uncompressed samples.
 */
export async function looksCompressed(
  source: MediaSource,
  { from, to }: { readonly from: number; readonly to: number },
): Promise<boolean> {
  const end = Math.min(to, from + SEARCHED_BYTES);
  const marks = new Map<Buffer, number>();
  for (let start = from; start < end; start += WINDOW_BYTES) {
    const bytes = await source.bytes(start, Math.min(WINDOW_BYTES, end - start));
    if (start === from && SHORT_MARKS.some((mark) => bytes.indexOf(mark) === 0)) return true;
    for (const mark of LONG_MARKS) {
      if (countUp(marks, bytes, mark) >= CHAIN_MIN) return true;
    }
    for (const mark of SHORT_MARKS) {
      if (countUp(marks, bytes, mark) > SHORT_MARKS_MAX) return true;
    }
    if (await holdsChain(source, bytes, { start, to })) return true;
  }
  return false;
}

function countUp(counts: Map<Buffer, number>, bytes: Buffer, mark: Buffer): number {
  let count = counts.get(mark) ?? 0;
  for (let at = bytes.indexOf(mark); at >= 0; at = bytes.indexOf(mark, at + 1)) count += 1;
  counts.set(mark, count);
  return count;
}

async function holdsChain(
  source: MediaSource,
  bytes: Buffer,
  { start, to }: { readonly start: number; readonly to: number },
): Promise<boolean> {
  for (const [first, sizeOf] of CHAINS) {
    for (let at = bytes.indexOf(first); at >= 0; at = bytes.indexOf(first, at + 1)) {
      if (sizeOf(bytes.subarray(at, at + HEADER_BYTES)) === undefined && at + HEADER_BYTES <= bytes.length)
        continue;
      if (await isChain(source, { at: start + at, to, sizeOf })) return true;
    }
  }
  return false;
}

type SizeOf = (header: Buffer) => number | undefined;

/** For each format, the first byte of a frame, and the function that reads a frame's size from its header. */
const CHAINS: readonly (readonly [number, SizeOf])[] = [
  [0xff, (header) => mpegFrame(header)?.sizeBytes],
  [0xff, (header) => adtsFrame(header)?.sizeBytes],
  [0x56, loasSize],
];

/** Reads the frame size of AAC in LOAS, the format of broadcasts. */
function loasSize(header: Buffer): number | undefined {
  if (header.length < 3 || header.readUInt8(0) !== 0x56 || header.readUInt8(1) >> 5 !== 7) return undefined;
  return (header.readUInt16BE(1) & 0x1fff) + 3;
}

async function isChain(
  source: MediaSource,
  options: { readonly at: number; readonly to: number; readonly sizeOf: SizeOf },
): Promise<boolean> {
  let { at } = options;
  for (let frames = 0; frames < CHAIN_MIN; frames += 1) {
    const size = at >= options.to ? undefined : options.sizeOf(await source.upTo(at, HEADER_BYTES));
    if (size === undefined) return false;
    at += size;
  }
  return true;
}
