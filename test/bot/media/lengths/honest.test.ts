import {
  type AudioCodec,
  AudioSample,
  AudioSampleSource,
  BufferTarget,
  MkvOutputFormat,
  MovOutputFormat,
  Mp4OutputFormat,
  Output,
  type OutputFormat,
  WavOutputFormat,
} from 'mediabunny';
import { expect, test } from 'vitest';
import { CLIPS, SOUNDS, taggedMedia } from '../tagged-media.ts';
import { expectNotShort } from './measured-length.ts';
import { useDecoders } from './use-decoders.ts';

const decode = useDecoders();
import { tone } from './tone.ts';

/** The factor by which the measured length of an honest file may exceed its real length. */
const TOLERANCE = 1.05;
const SLACK_SECONDS = 0.2;

async function expectTrue(bytes: Uint8Array, kind: 'audio' | 'video', seconds: number): Promise<void> {
  const result = await expectNotShort(decode, bytes, kind);
  if ('refused' in result) throw new Error(`The file was refused: ${JSON.stringify(result.refused)}`);
  const { measured, decoded } = result;
  // Without this check, the test could pass without comparing anything.
  expect(decoded.ffmpeg).toBeGreaterThan(seconds * 0.95);
  expect(decoded.mediaServer).toBeGreaterThan(seconds * 0.95);
  expect(measured).toBeLessThan(decoded.ffmpeg * TOLERANCE + SLACK_SECONDS);
}

test.each([
  ...SOUNDS.map((name) => [name, 'audio'] as const),
  ...CLIPS.map((name) => [name, 'video'] as const),
])('a complete %s is measured as long as every program plays it', async (name, kind) =>
  expectTrue(await taggedMedia(name), kind, 1),
);

const CONTAINERS: Readonly<Record<string, () => OutputFormat>> = {
  mp4: () => new Mp4OutputFormat(),
  'mp4 (fragmented)': () => new Mp4OutputFormat({ fastStart: 'fragmented' }),
  mov: () => new MovOutputFormat(),
  mkv: () => new MkvOutputFormat(),
  wav: () => new WavOutputFormat(),
};
const CASES: readonly (readonly [string, readonly AudioCodec[]])[] = [
  ['mp4', ['aac', 'opus', 'mp3', 'flac']],
  ['mp4 (fragmented)', ['aac', 'opus', 'mp3', 'flac']],
  ['mov', ['aac', 'pcm-s16', 'pcm-s16be', 'pcm-s24', 'pcm-f32', 'ulaw', 'alaw']],
  ['mkv', ['aac', 'opus', 'vorbis', 'mp3', 'flac', 'pcm-s16', 'pcm-f32']],
  ['wav', ['pcm-s16', 'pcm-s24', 'pcm-f32', 'pcm-u8', 'ulaw', 'alaw']],
];

test.each(CASES.flatMap(([container, codecs]) => codecs.map((codec) => [container, codec] as const)))(
  'a recording in %s with %s is measured as long as every program plays it',
  async (container, codec) => {
    const target = new BufferTarget();
    const output = new Output({ format: CONTAINERS[container]?.() ?? new WavOutputFormat(), target });
    const source = new AudioSampleSource({ codec, bitrate: 96_000 });
    output.addAudioTrack(source);
    await output.start();
    using sample = new AudioSample(tone(3));
    await source.add(sample);
    await output.finalize();
    await expectTrue(new Uint8Array(target.buffer ?? new ArrayBuffer(0)), 'audio', 3);
  },
);
