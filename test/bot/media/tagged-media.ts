import {
  AdtsOutputFormat,
  AudioSample,
  AudioSampleSource,
  BufferTarget,
  FlacOutputFormat,
  MkvOutputFormat,
  MovOutputFormat,
  Mp3OutputFormat,
  Mp4OutputFormat,
  OggOutputFormat,
  Output,
  type OutputFormat,
  TextSubtitleSource,
  VideoSample,
  VideoSampleSource,
  WavOutputFormat,
  WebMOutputFormat,
} from 'mediabunny';
import { registerMediabunnyServer } from '@mediabunny/server';
import { SECRET } from './use-media.ts';

registerMediabunnyServer({ hardwareContext: null });

type AudioCodec = ConstructorParameters<typeof AudioSampleSource>[0]['codec'];

interface Recipe {
  readonly format: () => OutputFormat;
  readonly audio: AudioCodec;
  readonly video?: 'avc' | 'vp9';
}

export const SOUNDS = [
  'mp3',
  'flac',
  'ogg (Opus)',
  'ogg (Vorbis)',
  'aac',
  'wav',
  'm4a',
  'webm (sound)',
] as const;
export const CLIPS = [
  'mp4',
  'mp4 (index first)',
  'mp4 (fragmented)',
  'mov',
  'webm',
  'webm (live)',
  'mkv',
] as const;

export type TaggedFormat = (typeof SOUNDS)[number] | (typeof CLIPS)[number];

const RECIPES: Readonly<Record<TaggedFormat, Recipe>> = {
  mp3: { format: () => new Mp3OutputFormat(), audio: 'mp3' },
  flac: { format: () => new FlacOutputFormat(), audio: 'flac' },
  'ogg (Opus)': { format: () => new OggOutputFormat(), audio: 'opus' },
  'ogg (Vorbis)': { format: () => new OggOutputFormat(), audio: 'vorbis' },
  aac: { format: () => new AdtsOutputFormat(), audio: 'aac' },
  wav: { format: () => new WavOutputFormat(), audio: 'pcm-s16' },
  m4a: { format: () => new Mp4OutputFormat(), audio: 'aac' },
  'webm (sound)': { format: () => new WebMOutputFormat(), audio: 'opus' },
  mp4: { format: () => new Mp4OutputFormat({ fastStart: false }), audio: 'aac', video: 'avc' },
  'mp4 (index first)': {
    format: () => new Mp4OutputFormat({ fastStart: 'in-memory' }),
    audio: 'aac',
    video: 'avc',
  },
  'mp4 (fragmented)': {
    format: () => new Mp4OutputFormat({ fastStart: 'fragmented' }),
    audio: 'aac',
    video: 'avc',
  },
  mov: { format: () => new MovOutputFormat(), audio: 'aac', video: 'avc' },
  webm: { format: () => new WebMOutputFormat(), audio: 'opus', video: 'vp9' },
  'webm (live)': { format: () => new WebMOutputFormat({ appendOnly: true }), audio: 'opus', video: 'vp9' },
  mkv: { format: () => new MkvOutputFormat(), audio: 'aac', video: 'avc' },
};

const RATE_HZ = 48_000;
export const SECONDS = 1;
export const SIZE: { readonly width: number; readonly height: number } = { width: 128, height: 96 };

/**
 * Creates one second of a tone (and of moving pictures, for a clip) whose tags, cover pictures and, if requested,
 * subtitles contain the secret.
 */
export async function taggedMedia(
  name: TaggedFormat,
  options: { readonly subtitles?: boolean } = {},
): Promise<Uint8Array> {
  const recipe = RECIPES[name];
  const target = new BufferTarget();
  const output = new Output({ format: recipe.format(), target });
  const audio = new AudioSampleSource({ codec: recipe.audio, bitrate: 96_000 });
  const video = recipe.video && new VideoSampleSource({ codec: recipe.video, bitrate: 500_000 });
  const subtitles = options.subtitles ? new TextSubtitleSource('webvtt') : undefined;
  if (video) output.addVideoTrack(video, { name: SECRET });
  output.addAudioTrack(audio, { name: SECRET });
  if (subtitles) output.addSubtitleTrack(subtitles, { name: SECRET });
  output.setMetadataTags({
    title: SECRET,
    comment: SECRET.repeat(4_000),
    date: new Date(0),
    images: [{ data: Buffer.from(SECRET.repeat(100)), mimeType: 'image/jpeg', kind: 'coverFront' }],
  });
  await output.start();
  using sound = tone();
  await audio.add(sound);
  if (video) await addPictures(video);
  if (subtitles) await subtitles.add(`WEBVTT\n\n00:00:00.100 --> 00:00:00.900\n${SECRET}\n`);
  await output.finalize();
  if (!target.buffer) throw new Error('No file was written');
  return new Uint8Array(target.buffer);
}

async function addPictures(video: VideoSampleSource): Promise<void> {
  for (let index = 0; index < 25; index += 1) {
    using sample = picture(index);
    await video.add(sample);
  }
}

function tone(): AudioSample {
  const data = Float32Array.from({ length: RATE_HZ * SECONDS }, (_none, at) => Math.sin(at / 10) / 3);
  return new AudioSample({
    data,
    format: 'f32',
    numberOfChannels: 1,
    sampleRate: RATE_HZ,
    timestamp: 0,
  });
}

function picture(index: number): VideoSample {
  const { width, height } = SIZE;
  const data = new Uint8Array(width * height * 4).fill(index * 10);
  return new VideoSample(data, {
    format: 'RGBA',
    codedWidth: width,
    codedHeight: height,
    timestamp: index / 25,
    duration: 1 / 25,
  });
}
