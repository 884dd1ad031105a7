import type { MediaSource } from '../media-source.ts';
import { adtsFrame } from './adts-frame.ts';
import { mpegFrame } from './mpeg-frame.ts';

/** FFmpeg looks for compressed sound in the first megabyte or two. */
const SEARCHED_BYTES = 2 * 1024 * 1024;
const WINDOW_BYTES = 64 * 1024;
const HEADER_BYTES = 8;
/** This many frames of compressed sound in a row are not chance. */
const CHAIN_MIN = 3;
/** What frames of DTS and TrueHD, and sound for a digital output, begin with. */
const LONG_MARKS = ['7ffe8001', 'fe7f0180', '1fffe800', 'ff1f00e8', 'f8726fba', '72f81f4e', 'f8724e1f'].map(
  (mark) => Buffer.from(mark, 'hex'),
);
/** AC-3, in both orders of its bytes. By chance one comes about 32 times in what is searched. */
const SHORT_MARKS = ['0b77', '770b'].map((mark) => Buffer.from(mark, 'hex'));
const SHORT_MARKS_MAX = 200;

/**
 * Whether the samples from `from` to `to` look like compressed sound. Even if a WAV says that they are not compressed,
 * FFmpeg decodes them as what they look like: 300 s of an MP3 fit into 1.6 s of samples.
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

/** What frames begin with, and how large one is by its header. */
const CHAINS: readonly (readonly [number, SizeOf])[] = [
  [0xff, (header) => mpegFrame(header)?.sizeBytes],
  [0xff, (header) => adtsFrame(header)?.sizeBytes],
  [0x56, loasSize],
];

/** AAC as broadcasts carry it. */
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
