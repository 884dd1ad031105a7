import type * as mediabunny from 'mediabunny';
import { systemErrorCode } from '../../../base/errors.ts';
import { RenderError } from '../render-error.ts';
import type { NodeAv } from './node-av.ts';
import { Resampler } from './resampler.ts';

/** Silence is generated in pieces of this length. */
const SILENCE_PIECE_SECONDS = 1;

/** Yields the sound of `track` as mono samples at `sampleRateHz`, as `Codec.readAudio` describes. */
export async function* readMono(
  bunny: typeof mediabunny,
  av: NodeAv,
  track: mediabunny.InputAudioTrack,
  sampleRateHz: number,
): AsyncGenerator<Float32Array> {
  let resampler: Resampler | undefined;
  try {
    for await (const { samples, rate, timestamp } of decode(bunny, track)) {
      if (!resampler) yield* silence(timestamp, sampleRateHz);
      if (resampler?.fromHz !== rate) {
        if (resampler) yield resampler.end();
        resampler?.[Symbol.dispose]();
        resampler = new Resampler(av, rate, sampleRateHz);
      }
      yield resampler.next(samples);
    }
    if (resampler) yield resampler.end();
  } finally {
    resampler?.[Symbol.dispose]();
  }
}

interface MonoPiece {
  readonly samples: Float32Array;
  readonly rate: number;
  readonly timestamp: number;
}

/** Decodes the sound, and skips sound before the beginning of the clip, such as an encoder's lead-in. */
async function* decode(
  bunny: typeof mediabunny,
  track: mediabunny.InputAudioTrack,
): AsyncGenerator<MonoPiece> {
  let isEmpty = true;
  try {
    for await (const sample of new bunny.AudioSampleSink(track).samples()) {
      const { sampleRate: rate, timestamp } = sample;
      const early = Math.min(sample.numberOfFrames, Math.max(0, Math.round(-timestamp * rate)));
      const samples = downmix(sample).subarray(early);
      sample.close();
      if (samples.length === 0) continue;
      isEmpty = false;
      yield { samples, rate, timestamp: timestamp + early / rate };
    }
  } catch (error) {
    if (systemErrorCode(error) !== undefined) throw error;
    if (isEmpty) throw undecodable(error);
  }
  if (isEmpty) throw undecodable();
}

function* silence(seconds: number, sampleRateHz: number): Generator<Float32Array> {
  const piece = Math.round(SILENCE_PIECE_SECONDS * sampleRateHz);
  for (let left = Math.round(seconds * sampleRateHz); left > 0; left -= piece) {
    yield new Float32Array(Math.min(left, piece));
  }
}

function downmix(sample: mediabunny.AudioSample): Float32Array {
  const mono = new Float32Array(sample.numberOfFrames);
  const channel = new Float32Array(sample.numberOfFrames);
  for (let planeIndex = 0; planeIndex < sample.numberOfChannels; planeIndex++) {
    sample.copyTo(channel, { planeIndex, format: 'f32-planar' });
    for (let n = 0; n < mono.length; n++) {
      mono[n] = (mono[n] ?? 0) + (channel[n] ?? 0) / sample.numberOfChannels;
    }
  }
  return mono;
}

function undecodable(cause?: unknown): RenderError {
  return new RenderError('unsupported_format', 'Cannot decode the sound', { cause });
}
