import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { ALL_FORMATS, BufferSource, EncodedPacketSink, Input } from 'mediabunny';
import { describe, expect, test } from 'vitest';
import { MediaSource } from '../../src/media/media-source.ts';
import { FORMATS } from '../../src/media/formats.ts';
import { useFolder } from '../use-folder.ts';
import { CLIPS, SECONDS, SIZE, SOUNDS, type TaggedFormat, taggedMedia } from './tagged-media.ts';
import { clean, tells } from './use-media.ts';

/** Every packet of pictures and sound, by time and digest, as another program reads the file. */
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

async function tagsOf(bytes: Uint8Array): Promise<object> {
  using input = new Input({ formats: ALL_FORMATS, source: new BufferSource(bytes) });
  const { raw: _none, ...tags } = await input.getMetadataTags();
  return tags;
}

describe.each([
  ...SOUNDS.map((name) => [name, 'audio'] as const),
  ...CLIPS.map((name) => [name, 'video'] as const),
])('%s', (name, kind) => {
  test('loses what it tells of its owner and keeps its sound and pictures bit for bit', async () => {
    const tagged = await taggedMedia(name);
    if (name !== 'aac') expect(tells(tagged)).toBe(true);

    const cleaned = await clean(tagged, kind);

    expect(tells(cleaned.bytes)).toBe(false);
    expect(await tagsOf(cleaned.bytes)).toEqual({});
    const packets = await packetsOf(tagged);
    expect(packets.length).toBeGreaterThan(10);
    expect(await packetsOf(cleaned.bytes)).toEqual(packets);
  });

  test('tells how long it lasts', async () => {
    const { durationSeconds } = await clean(await taggedMedia(name), kind);
    expect(durationSeconds).toBeGreaterThan(SECONDS * 0.95);
    expect(durationSeconds).toBeLessThan(SECONDS * 1.15);
  });

  test('is as clean as before when it is cleaned again', async () => {
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
  'a track of %s that is neither picture nor sound goes with all it holds, and the others stay',
  async (name) => {
    const tagged = await taggedMedia(name, { subtitles: true });

    const { bytes } = await clean(tagged, 'video');

    expect(tells(bytes)).toBe(false);
    expect(await packetsOf(bytes)).toEqual(await packetsOf(tagged));
    using input = new Input({ formats: ALL_FORMATS, source: new BufferSource(bytes) });
    expect((await input.getTracks()).map(({ type }) => type).sort()).toEqual(['audio', 'video']);
  },
);

test('a data track spread over fragments cannot be taken out, so the clip is refused', async () => {
  const tagged = Buffer.from(await taggedMedia('mp4 (fragmented)'));
  tagged.write('meta', tagged.indexOf('soun'));
  await expect(clean(tagged, 'video')).rejects.toMatchObject({
    problem: { kind: 'unsupported_format', expected: 'video' },
  });
});

test('tags of every generation around an MP3 go', async () => {
  const sound = await clean(await taggedMedia('mp3'), 'audio');
  const id3v1 = Buffer.concat([Buffer.from('TAGsecret words'), Buffer.alloc(113)]);
  const ape = Buffer.from(`APETAGEX${'secret words '.repeat(20)}`);
  const { bytes } = await clean(Buffer.concat([sound.bytes, ape, id3v1]), 'audio');
  expect(bytes).toEqual(sound.bytes);
});

test('a recording in a container for clips passes as audio, and not as video', async () => {
  const bytes = await taggedMedia('webm (sound)');
  expect(await clean(bytes, 'audio')).toMatchObject({ mime: 'audio/webm' });
  await expect(clean(bytes, 'video')).rejects.toMatchObject({ problem: { kind: 'wrong_type' } });
});

test('what lasts longer than allowed is refused with both lengths', async () => {
  await expect(clean(await taggedMedia('mp4'), 'video', { durationSecondsMax: 0.5 })).rejects.toMatchObject({
    problem: { kind: 'too_long', durationSecondsMax: 0.5 },
  });
});

test('a clip that claims to be shorter than its pictures are is not believed', async () => {
  const bytes = Buffer.from(await taggedMedia('mp4'));
  for (let at = bytes.indexOf('mdhd'); at >= 0; at = bytes.indexOf('mdhd', at + 1))
    bytes.writeUInt32BE(1, at + 20);
  bytes.writeUInt32BE(1, bytes.indexOf('mvhd') + 20);
  const { durationSeconds } = await clean(bytes, 'video');
  expect(durationSeconds).toBeGreaterThan(SECONDS * 0.95);
});
