import {
  AudioSample,
  AudioSampleSource,
  FilePathTarget,
  Mp4OutputFormat,
  Output,
  VideoSample,
  VideoSampleSource,
  WebMOutputFormat,
} from 'mediabunny';
import { registerMediabunnyServer } from '@mediabunny/server';
import type { Pixels } from '../../../../src/media-server/engine/pixels.ts';

registerMediabunnyServer({ hardwareContext: null });

export interface ClipRecipe {
  readonly path: string;
  /** Returns the picture for the timestamp with this index; all have the same size. */
  readonly pictures: (index: number) => Pixels;
  /** The start of each picture in seconds. */
  readonly timestamps: readonly number[];
  readonly lastDuration?: number;
  readonly format?: 'h264' | 'vp9';
  /** The clockwise rotation that a player has to apply. */
  readonly rotation?: 0 | 90 | 180 | 270;
  readonly keepAlpha?: boolean;
  /** A tone that accompanies the pictures. */
  readonly sound?: { readonly seconds: number; readonly channels: number };
}

const SAMPLE_RATE = 48_000;

/** Writes a clip with mediabunny alone: MP4 for H.264, WebM for VP9. */
export async function makeClip(recipe: ClipRecipe): Promise<void> {
  const { path, pictures, timestamps, lastDuration = 0.04, format = 'h264', rotation = 0, sound } = recipe;
  const isMp4 = format === 'h264';
  const output = new Output({
    format: isMp4 ? new Mp4OutputFormat({ fastStart: false }) : new WebMOutputFormat(),
    target: new FilePathTarget(path),
  });
  const video = new VideoSampleSource({
    codec: isMp4 ? 'avc' : 'vp9',
    bitrate: 2e6,
    latencyMode: 'realtime',
    ...(recipe.keepAlpha ? { alpha: 'keep' as const } : {}),
  });
  output.addVideoTrack(video, { rotation });
  const audio = sound && new AudioSampleSource({ codec: isMp4 ? 'aac' : 'opus', bitrate: 96_000 });
  if (audio) output.addAudioTrack(audio);
  await output.start();
  for (const [index, timestamp] of timestamps.entries()) {
    const { width, height, data } = pictures(index);
    using sample = new VideoSample(data, {
      format: 'RGBA',
      codedWidth: width,
      codedHeight: height,
      timestamp,
      duration: (timestamps[index + 1] ?? timestamp + lastDuration) - timestamp,
    });
    await video.add(sample);
  }
  if (audio && sound) await addTone(audio, sound);
  await output.finalize();
}

async function addTone(
  source: AudioSampleSource,
  { seconds, channels }: { seconds: number; channels: number },
): Promise<void> {
  const frames = Math.round(seconds * SAMPLE_RATE);
  for (let at = 0; at < frames; at += SAMPLE_RATE) {
    const count = Math.min(SAMPLE_RATE, frames - at);
    const data = new Float32Array(count * channels);
    for (let n = 0; n < data.length; n++) {
      data[n] = 0.3 * Math.sin((2 * Math.PI * 440 * (at + Math.floor(n / channels))) / SAMPLE_RATE);
    }
    using sample = new AudioSample({
      data,
      format: 'f32',
      numberOfChannels: channels,
      sampleRate: SAMPLE_RATE,
      timestamp: at / SAMPLE_RATE,
    });
    await source.add(sample);
  }
}

/** Draws a picture of four coloured quarters: red and green above blue and grey. `shift` brightens the picture. */
export function quarters(width: number, height: number, shift: number = 0): Pixels {
  const data = new Uint8Array(width * height * 4);
  for (let n = 0; n < width * height; n++) {
    const isRight = n % width >= width / 2;
    const isBelow = Math.floor(n / width) >= height / 2;
    const colour = isBelow
      ? isRight
        ? [128, 128, 128]
        : [40, 60, 190]
      : isRight
        ? [30, 170, 70]
        : [200, 40, 30];
    data.set([...colour.map((value) => value + shift), 255], n * 4);
  }
  return { width, height, data };
}

/** Returns the colour in the middle of each quarter, in the order of `quarters`. */
export function quarterColours({ width, height, data }: Pixels): number[][] {
  const at = (x: number, y: number): number[] => {
    const start = (Math.floor(y * height) * width + Math.floor(x * width)) * 4;
    return [...data.subarray(start, start + 3)];
  };
  return [at(0.25, 0.25), at(0.75, 0.25), at(0.25, 0.75), at(0.75, 0.75)];
}
