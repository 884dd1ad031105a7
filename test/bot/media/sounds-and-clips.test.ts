import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { ALL_FORMATS, AudioSampleSink, BufferSource, EncodedPacketSink, Input } from 'mediabunny';
import { describe, expect, test } from 'vitest';
import { MediaSource } from '../../../src/bot/media/media-source.ts';
import { FORMATS } from '../../../src/bot/media/formats.ts';
import { useFolder } from '../../helpers/use-folder.ts';
import { CLIPS, SECONDS, SIZE, SOUNDS, type TaggedFormat, taggedMedia } from './tagged-media.ts';
import { matroska } from './lengths/matroska-writer.ts';
import { soundPackets } from './lengths/sound-packets.ts';
import { SECRET, clean, containsWords } from './use-media.ts';

/** Returns the time and digest of every video and audio packet, as another program reads the file. */
async function packetsOf(bytes: Uint8Array): Promise<string[]> {
  using input = new Input({ formats: ALL_FORMATS, source: new BufferSource(bytes) });
  const packets: string[] = [];
  for (const track of await input.getTracks()) {
    if (track.type !== 'video' && track.type !== 'audio') continue;
    for await (const { data, timestamp } of new EncodedPacketSink(track).packets()) {
      const digest = createHash('sha1').update(data).digest('hex');
      packets.push(`${track.type} ${timestamp.toFixed(4)} ${digest}`);
    }
  }
  return packets;
}

async function decodedSeconds(bytes: Uint8Array): Promise<number> {
  using input = new Input({ formats: ALL_FORMATS, source: new BufferSource(bytes) });
  const track = await input.getPrimaryAudioTrack();
  let seconds = 0;
  if (!track) return seconds;
  for await (const sample of new AudioSampleSink(track).samples()) {
    using heard = sample;
    seconds += heard.duration;
  }
  return seconds;
}

async function tagsOf(bytes: Uint8Array): Promise<object> {
  using input = new Input({ formats: ALL_FORMATS, source: new BufferSource(bytes) });
  const { raw: _none, ...tags } = await input.getMetadataTags();
  return tags;
}

describe.each([
  ...SOUNDS.map((name) => [name, 'audio'] as const),
  ...CLIPS.map((name) => [name, 'video'] as const),
])('%s', (name, kind) => {
  test('loses everything that reveals its owner and keeps its sound and pictures bit for bit', async () => {
    const tagged = await taggedMedia(name);
    if (name !== 'aac') expect(containsWords(tagged)).toBe(true);

    const cleaned = await clean(tagged, kind);

    expect(containsWords(cleaned.bytes)).toBe(false);
    expect(await tagsOf(cleaned.bytes)).toEqual({});
    const packets = await packetsOf(tagged);
    expect(packets.length).toBeGreaterThan(10);
    expect(await packetsOf(cleaned.bytes)).toEqual(packets);
  });

  test('has a measured duration', async () => {
    const { durationSeconds } = await clean(await taggedMedia(name), kind);
    expect(durationSeconds).toBeGreaterThan(SECONDS * 0.95);
    expect(durationSeconds).toBeLessThan(SECONDS * 1.15);
  });

  test('does not change when it is cleaned again', async () => {
    const once = await clean(await taggedMedia(name), kind);
    const twice = await clean(once.bytes, kind);
    expect(twice.sha256).toBe(once.sha256);
  });
});

test.each(CLIPS)('the size of the pictures of a %s is known', async (name) => {
  const folder = await useFolder();
  const path = `${folder}/clip`;
  await writeFile(path, await taggedMedia(name));
  await using source = await MediaSource.open(path);
  const format = FORMATS.get(/^\w+/.exec(name)?.[0] ?? '');
  expect(await format?.examine(source)).toMatchObject({ size: SIZE, hasVideo: true, hasAudio: true });
});

test.each<TaggedFormat>(['mp4', 'mp4 (index first)', 'mkv', 'webm', 'webm (live)'])(
  'a track of %s that is neither picture nor sound is removed with all its content, and the others stay',
  async (name) => {
    const tagged = await taggedMedia(name, { subtitles: true });

    const { bytes } = await clean(tagged, 'video');

    expect(containsWords(bytes)).toBe(false);
    expect(await packetsOf(bytes)).toEqual(await packetsOf(tagged));
    using input = new Input({ formats: ALL_FORMATS, source: new BufferSource(bytes) });
    expect((await input.getTracks()).map(({ type }) => type).sort()).toEqual(['audio', 'video']);
  },
);

test('a data track in fragments cannot be removed, so the clip is refused', async () => {
  const tagged = Buffer.from(await taggedMedia('mp4 (fragmented)'));
  tagged.write('meta', tagged.indexOf('soun'));
  await expect(clean(tagged, 'video')).rejects.toMatchObject({
    problem: { kind: 'unsupported_format', expected: 'video' },
  });
});

test('tags of every version around an MP3 are removed', async () => {
  const sound = await clean(await taggedMedia('mp3'), 'audio');
  const id3v1 = Buffer.concat([Buffer.from('TAGsecret words'), Buffer.alloc(113)]);
  const ape = Buffer.from(`APETAGEX${'secret words '.repeat(20)}`);
  const { bytes } = await clean(Buffer.concat([sound.bytes, ape, id3v1]), 'audio');
  expect(bytes).toEqual(sound.bytes);
});

/** Returns the Vorbis setup in a Matroska file, with these words as its only comment. */
function setupWithWords(setup: Uint8Array): Buffer {
  const bytes = Buffer.from(setup);
  const heads = bytes.indexOf('\x05vorbis', 0, 'latin1');
  const identification = bytes.subarray(bytes.indexOf('\x01vorbis', 0, 'latin1')).subarray(0, 30);
  const lengths = Buffer.alloc(12);
  lengths.writeUInt32LE(1, 4);
  lengths.writeUInt32LE(SECRET.length, 8);
  const comments = Buffer.concat([
    Buffer.from('\x03vorbis', 'latin1'),
    lengths,
    Buffer.from(SECRET),
    Buffer.from([1]),
  ]);
  const sizes = Buffer.from([2, identification.length, comments.length]);
  return Buffer.concat([sizes, identification, comments, bytes.subarray(heads)]);
}

test('comments in the setup of Vorbis in a Matroska file are removed, and the sound still decodes', async () => {
  const sound = await soundPackets(await taggedMedia('ogg (Vorbis)'));
  const bytes = matroska({ codec: 'A_VORBIS', ...sound, setup: setupWithWords(sound.setup) });
  expect(containsWords(bytes)).toBe(true);
  const { bytes: after } = await clean(bytes, 'audio');
  expect(containsWords(after)).toBe(false);
  expect(await decodedSeconds(after)).toBeGreaterThan(0.9);
});

/** Creates a block of FLAC comments that is not the last block. */
function flacComments(type: number): Buffer {
  const head = Buffer.from([type, 0, 0, SECRET.length]);
  return Buffer.concat([head, Buffer.from(SECRET)]);
}

test('comments in the setup of FLAC in a Matroska file are removed, and the sound still decodes', async () => {
  const sound = await soundPackets(await taggedMedia('flac'));
  const info = Buffer.from(sound.setup).subarray(0, 42);
  info.writeUInt8(0, 4);
  const setup = Buffer.concat([info, flacComments(4), flacComments(0x80 | 2)]);
  const bytes = matroska({ codec: 'A_FLAC', ...sound, setup });
  const { bytes: after } = await clean(bytes, 'audio');
  expect(containsWords(after)).toBe(false);
  expect(await decodedSeconds(after)).toBeGreaterThan(0.9);
});

test('a clip loses the names of the programs that made its pictures and sound', async () => {
  const bytes = Buffer.from(await taggedMedia('mov'));
  const pictures = bytes.indexOf('avc1', bytes.indexOf('stsd'), 'latin1') + 4;
  const name = 'GoPro AVC encoder';
  bytes.write(`\x11${name}`, pictures + 42, 'latin1');
  bytes.write('GoPr', pictures + 12, 'latin1');
  bytes.write('GoPr', bytes.indexOf('mp4a', 0, 'latin1') + 4 + 12, 'latin1');
  const { bytes: after } = await clean(bytes, 'video');
  expect(containsWords(after, name)).toBe(false);
  expect(containsWords(after, 'GoPr')).toBe(false);
  expect(await packetsOf(after)).toEqual(await packetsOf(bytes));
});

test('a recording in a container for clips is accepted as audio, and not as video', async () => {
  const bytes = await taggedMedia('webm (sound)');
  expect(await clean(bytes, 'audio')).toMatchObject({ mime: 'audio/webm' });
  await expect(clean(bytes, 'video')).rejects.toMatchObject({ problem: { kind: 'wrong_type' } });
});

test('a file that lasts longer than allowed is refused with both durations', async () => {
  await expect(clean(await taggedMedia('mp4'), 'video', { durationSecondsMax: 0.5 })).rejects.toMatchObject({
    problem: { kind: 'too_long', durationSecondsMax: 0.5 },
  });
});

test('the duration of a clip is not believed if its pictures last longer', async () => {
  const bytes = Buffer.from(await taggedMedia('mp4'));
  for (let at = bytes.indexOf('mdhd'); at >= 0; at = bytes.indexOf('mdhd', at + 1))
    bytes.writeUInt32BE(1, at + 20);
  bytes.writeUInt32BE(1, bytes.indexOf('mvhd') + 20);
  const { durationSeconds } = await clean(bytes, 'video');
  expect(durationSeconds).toBeGreaterThan(SECONDS * 0.95);
});
