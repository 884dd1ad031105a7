import type * as mediabunny from 'mediabunny';
import { CLIP_SECONDS_MAX } from './clip-limits.ts';

/**
 * FFmpeg's AAC encoder adds this many frames at the beginning, and the file has no edit list to skip them. Sound is
 * therefore shifted earlier by this amount to be in sync with the pictures.
 */
export const PRIMING_FRAMES = 1024;

/**
 * All blocks have the same size, because @mediabunny/server 1.59.0 writes past its buffer when a larger block
 * follows a smaller one.
 */
const BLOCK_FRAMES = 4_096;

/** Decoded, interleaved sound. `start` is its position in the clip, in frames. */
export interface SoundPiece {
  readonly data: Float32Array;
  readonly channels: number;
  readonly sampleRateHz: number;
  readonly start: number;
}

/**
 * Cuts decoded sound into equal blocks that are in sync after AAC encoding. Drops sound in the first 21 ms (at 48 kHz),
 * which would lie before the beginning of the file, and sound beyond the longest clip. Fills gaps with silence. The
 * receiver owns each block's data.
 */
export async function* blocksInTime(pieces: AsyncIterable<SoundPiece>): AsyncGenerator<SoundPiece> {
  let block: Block | undefined;
  for await (const { data, channels, sampleRateHz, start } of pieces) {
    const place = start - PRIMING_FRAMES;
    block ??= newBlock({ channels, sampleRateHz, start: 0 });
    // If a clip changes its number of channels, the rest would become noise, so the sound ends here.
    if (channels !== block.channels || place > CLIP_SECONDS_MAX * sampleRateHz) break;
    for (let silent = silenceUpTo(place - block.start - block.filled); silent > 0;) {
      const taken = Math.min(silent, BLOCK_FRAMES - block.filled);
      block.filled += taken;
      silent -= taken;
      if (block.filled < BLOCK_FRAMES) continue;
      yield block;
      block = followerOf(block);
    }
    for (let from = Math.max(0, -place) * channels; from < data.length;) {
      const taken: Float32Array = data.subarray(from, from + (BLOCK_FRAMES - block.filled) * channels);
      block.data.set(taken, block.filled * channels);
      from += taken.length;
      block.filled += taken.length / channels;
      if (block.filled < BLOCK_FRAMES) continue;
      yield block;
      block = followerOf(block);
    }
  }
  if (block && block.filled > 0)
    yield { ...block, data: block.data.subarray(0, block.filled * block.channels) };
}

/** Converts decoded samples to pieces and closes them. */
export async function* piecesOf(samples: AsyncIterable<mediabunny.AudioSample>): AsyncGenerator<SoundPiece> {
  for await (const sample of samples) {
    using owned = sample;
    const { numberOfChannels: channels, sampleRate: sampleRateHz } = owned;
    const data = new Float32Array(owned.numberOfFrames * channels);
    owned.copyTo(data, { planeIndex: 0, format: 'f32' });
    yield { data, channels, sampleRateHz, start: Math.round(owned.timestamp * sampleRateHz) };
  }
}

/** Converts mono samples from the beginning of the clip to pieces. */
export async function* monoPieces(
  samples: AsyncIterable<Float32Array>,
  sampleRateHz: number,
): AsyncGenerator<SoundPiece> {
  let start = 0;
  for await (const data of samples) {
    yield { data, channels: 1, sampleRateHz, start };
    start += data.length;
  }
}

type Block = SoundPiece & { filled: number };

/** Each block has its own data, because the encoder may still be reading the previous one. */
function newBlock(format: Omit<SoundPiece, 'data'>): Block {
  return { ...format, data: new Float32Array(BLOCK_FRAMES * format.channels), filled: 0 };
}

function followerOf({ channels, sampleRateHz, start }: Block): Block {
  return newBlock({ channels, sampleRateHz, start: start + BLOCK_FRAMES });
}

/** Timestamps are rounded, so only an audible difference counts as a gap. */
const GAP_FRAMES_MIN = 480;

function silenceUpTo(frames: number): number {
  return frames < GAP_FRAMES_MIN ? 0 : frames;
}
