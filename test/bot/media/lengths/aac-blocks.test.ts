import fc from 'fast-check';
import {
  AdtsOutputFormat,
  AudioSample,
  AudioSampleSource,
  BufferTarget,
  Mp4OutputFormat,
  Output,
  type OutputFormat,
} from 'mediabunny';
import { beforeAll, describe, expect, test } from 'vitest';
import { taggedMedia } from '../tagged-media.ts';
import { matroska } from './matroska-writer.ts';
import { type BoxNode, boxesOf, putTogether, table, takeApart } from './mp4-editor.ts';
import { type SoundPackets, soundPackets } from './sound-packets.ts';
import { expectNotShort, measuredLength } from './measured-length.ts';
import { useDecoders } from './use-decoders.ts';

const decode = useDecoders();

/** One channel of silence, which is the smallest audio block. */
const SILENCE = Buffer.from('00c80007', 'hex');
const HEADER_BYTES = 7;

/**
 * Creates an ADTS frame with these blocks, at 48 kHz. `furtherBlocks` is the number of further blocks that the header
 * claims.
 */
function adts(blocks: Uint8Array, furtherBlocks: number = 0): Buffer {
  const size = blocks.length + HEADER_BYTES;
  const head = Buffer.from([
    0xff,
    0xf1,
    0x4c,
    0x40 | (size >> 11),
    (size >> 3) & 0xff,
    0,
    0xfc | furtherBlocks,
  ]);
  head[5] = ((size & 7) << 5) | 0x1f;
  return Buffer.concat([head, blocks]);
}

/** Joins every `count` packets into one, whose time is the first packet's time divided by `count`. */
function joined({ packets }: SoundPackets, count: number): SoundPackets['packets'] {
  return packets
    .filter((_packet, index) => index % count === 0)
    .map(({ tick }, group) => ({
      tick: Math.round(tick / count),
      data: Buffer.concat(packets.slice(group * count, (group + 1) * count).map(({ data }) => data)),
    }));
}

async function measuredOf(bytes: Buffer): Promise<{ measured: number; decoded: number }> {
  const result = await expectNotShort(decode, bytes, 'audio');
  if ('refused' in result) throw new Error(`The file was refused: ${JSON.stringify(result.refused)}`);
  return { measured: result.measured, decoded: Math.max(...Object.values(result.decoded)) };
}

describe('AAC with several blocks in a packet', () => {
  let sound: SoundPackets;
  beforeAll(async () => {
    sound = await soundPackets(await taggedMedia('m4a'));
  });

  test.each([2, 5, 20])('in a Matroska file is as long as all %i blocks of each packet', async (count) => {
    const bytes = matroska({ codec: 'A_AAC', setup: sound.setup, packets: joined(sound, count) });
    const { measured, decoded } = await measuredOf(bytes);
    expect(decoded).toBeGreaterThan(0.9);
    expect(measured).toBeLessThan(1.2);
  });

  test('in an MP4 is as long as all blocks of each packet', async () => {
    const parts = takeApart(await recorded(new Mp4OutputFormat({ fastStart: false }), 48_000, 1));
    const sizes = sizesOf(boxesOf(parts.moov, 'stsz')[0]);
    const sums = [sizes.slice(0, 40), sizes.slice(40)].map((part) =>
      part.reduce((sum, size) => sum + size, 0),
    );
    for (const stbl of boxesOf(parts.moov, 'stbl')) {
      const rest = stbl.children.filter(({ type }) => !['stsz', 'stts', 'stsc', 'stco'].includes(type));
      const from = boxesOf(stbl, 'stco')[0]?.body.readUInt32BE(8) ?? 0;
      const tables = [table('stsz', [0, 2, ...sums]), table('stts', [1, 2, 1_024])];
      stbl.children = [...rest, ...tables, table('stsc', [1, 1, 2, 1]), table('stco', [1, from])];
    }
    for (const { body } of [...boxesOf(parts.moov, 'mvhd'), ...boxesOf(parts.moov, 'mdhd')])
      body.writeUInt32BE(1, 16);
    for (const { body } of boxesOf(parts.moov, 'tkhd')) body.writeUInt32BE(1, 20);
    const { decoded } = await measuredOf(putTogether(parts));
    expect(decoded).toBeGreaterThan(0.9);
  });

  test('in frames of ADTS that state one block is as long as all blocks', async () => {
    const frame = adts(Buffer.concat(Array<Buffer>(90).fill(SILENCE)));
    const { measured, decoded } = await measuredOf(Buffer.concat([frame, frame, frame]));
    expect(decoded).toBeGreaterThan(5);
    expect(measured).toBeLessThan(6);
  });

  test('in frames of ADTS that state several blocks is refused with a reason', async () => {
    const frame = adts(Buffer.concat([SILENCE, SILENCE]), 1);
    expect(await measuredLength(decode, Buffer.concat([frame, frame, frame]), 'audio')).toEqual({
      refused: { kind: 'unclear_length', because: 'sound' },
    });
  });

  test('with a second header inside a frame is refused with a reason', async () => {
    const frame = adts(Buffer.concat([SILENCE, adts(SILENCE)]));
    expect(await measuredLength(decode, Buffer.concat([frame, frame, frame]), 'audio')).toEqual({
      refused: { kind: 'unclear_length', because: 'twice' },
    });
  });

  test.each([1, 2])('in %i frames that are also FLAC is refused with a reason', async (count) => {
    const frame = Buffer.from('fff8c90801920000004dc5ff', 'hex');
    const bytes = Buffer.concat(Array<Buffer>(count).fill(frame));
    expect(await measuredLength(decode, bytes, 'audio')).toEqual({
      refused: { kind: 'unclear_length', because: 'sound' },
    });
  });

  test('is never measured shorter than programs play it, whatever follows the blocks or is between them', async () => {
    const piece = fc.oneof(
      fc.constant('silence' as const),
      fc.nat({ max: 40 }),
      fc.uint8Array({ minLength: 1, maxLength: 12 }),
    );
    const packets = fc.array(fc.array(piece, { minLength: 1, maxLength: 6 }), {
      minLength: 1,
      maxLength: 12,
    });
    await fc.assert(
      fc.asyncProperty(packets, async (all) => {
        const forged = all.map((pieces, index) => {
          const data = pieces.map((each) => {
            if (each === 'silence') return SILENCE;
            return typeof each === 'number' ? (sound.packets[each]?.data ?? SILENCE) : each;
          });
          return { tick: index * 21, data: Buffer.concat(data) };
        });
        const bytes = matroska({ codec: 'A_AAC', setup: sound.setup, packets: forged });
        await expectNotShort(decode, bytes, 'audio');
      }),
      { numRuns: 60 },
    );
  });
});

test.each(
  [48_000, 44_100, 32_000, 24_000, 16_000, 8_000].flatMap((rateHz) =>
    [1, 2].map((channels) => [rateHz, channels] as const),
  ),
)('a recording of AAC at %i Hz with %i channels has one block in each packet', async (rateHz, channels) => {
  const { measured, decoded } = await measuredOf(await recorded(new AdtsOutputFormat(), rateHz, channels));
  expect(measured).toBeGreaterThan(1.9);
  expect(measured).toBeLessThan(decoded * 1.02 + 0.2);
});

async function recorded(format: OutputFormat, rateHz: number, channels: number): Promise<Buffer> {
  const target = new BufferTarget();
  const output = new Output({ format, target });
  const source = new AudioSampleSource({ codec: 'aac', bitrate: channels * rateHz * 2 });
  output.addAudioTrack(source);
  await output.start();
  using sample = noisyTone(rateHz, channels);
  await source.add(sample);
  await output.finalize();
  return Buffer.from(target.buffer ?? new ArrayBuffer(0));
}

/** Creates two seconds of a tone with bursts of noise, for which encoders use every form of block. */
function noisyTone(sampleRate: number, numberOfChannels: number): AudioSample {
  const data = Float32Array.from({ length: sampleRate * 2 * numberOfChannels }, (_none, at) => {
    const isStroke = at % 9_000 < 1_500;
    return Math.sin(at / 10) / 3 + (isStroke ? ((at * 7_919) % 1_000) / 2_000 - 0.25 : 0);
  });
  return new AudioSample({ data, format: 'f32', numberOfChannels, sampleRate, timestamp: 0 });
}

function sizesOf(box: BoxNode | undefined): number[] {
  const body = box?.body ?? Buffer.alloc(12);
  return Array.from({ length: body.readUInt32BE(8) }, (_none, index) => body.readUInt32BE(12 + index * 4));
}
