import type * as mediabunny from 'mediabunny';

/**
 * FFmpeg's AAC encoder begins with this many frames of its own, and the file has no edit list to skip them: sound
 * has to be given to it so much earlier to be heard in time with the pictures.
 */
export const PRIMING_FRAMES = 1024;

/** Blocks of one size: @mediabunny/server 1.59.0 writes past its buffer when a larger one follows a smaller one. */
const BLOCK_FRAMES = 4_096;

/** A block of sound for the encoder: interleaved, and where it begins in frames. */
export interface SoundBlock {
  readonly data: Float32Array;
  readonly channels: number;
  readonly sampleRateHz: number;
  readonly start: number;
}

/**
 * Cuts decoded samples into equal blocks that an AAC encoder plays in time. What would then begin before the file
 * does, 21 ms at 48 kHz, is left out; gaps become silence. Closes the samples; a block's data is the receiver's.
 */
export async function* blocksInTime(
  samples: AsyncIterable<mediabunny.AudioSample>,
): AsyncGenerator<SoundBlock> {
  let block: (SoundBlock & { filled: number }) | undefined;
  for await (const sample of samples) {
    using owned = sample;
    const { numberOfChannels: channels, sampleRate: sampleRateHz } = owned;
    block ??= {
      data: new Float32Array(BLOCK_FRAMES * channels),
      channels,
      sampleRateHz,
      start: 0,
      filled: 0,
    };
    const place = Math.round(owned.timestamp * sampleRateHz) - PRIMING_FRAMES;
    for (const piece of [
      silenceUpTo(place - block.start - block.filled, channels),
      interleaved(owned, place),
    ]) {
      for (let from = 0; from < piece.length;) {
        const taken = piece.subarray(from, from + (BLOCK_FRAMES - block.filled) * channels);
        block.data.set(taken, block.filled * channels);
        from += taken.length;
        block.filled += taken.length / channels;
        if (block.filled < BLOCK_FRAMES) continue;
        yield block;
        // The encoder may still be reading the last one.
        const data: Float32Array = new Float32Array(BLOCK_FRAMES * channels);
        block = { ...block, data, start: block.start + BLOCK_FRAMES, filled: 0 };
      }
    }
  }
  if (block && block.filled > 0)
    yield { ...block, data: block.data.subarray(0, block.filled * block.channels) };
}

/** Timestamps are rounded: only what can be heard as a gap is one. */
const GAP_FRAMES_MIN = 480;
const GAP_FRAMES_MAX = 48_000 * 600;

function silenceUpTo(frames: number, channels: number): Float32Array {
  return new Float32Array(frames < GAP_FRAMES_MIN ? 0 : Math.min(frames, GAP_FRAMES_MAX) * channels);
}

/** The sample's frames, without those before the beginning. */
function interleaved(sample: mediabunny.AudioSample, place: number): Float32Array {
  const frameOffset = Math.max(0, -place);
  const frameCount = sample.numberOfFrames - frameOffset;
  if (frameCount <= 0) return new Float32Array(0);
  const data = new Float32Array(frameCount * sample.numberOfChannels);
  sample.copyTo(data, { planeIndex: 0, format: 'f32', frameOffset, frameCount });
  return data;
}
