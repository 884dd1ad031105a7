import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { sealOggPage } from '../../../../src/bot/media/sounds/ogg-page.ts';
import { taggedMedia } from '../tagged-media.ts';
import { expectNotShort, measuredLength } from './measured-length.ts';
import { useDecoders } from './use-decoders.ts';
import { type WavOptions, wav } from './wav-writer.ts';

const RUNS = { numRuns: 30 };
const decode = useDecoders();

describe('a WAV', () => {
  const samples = Buffer.alloc(8_000 * 2 * 20, Buffer.from('0001ff7e', 'hex'));
  const honest: WavOptions = { tag: 1, channels: 1, rateHz: 8_000, bits: 16, data: samples };

  test.each<[string, Partial<WavOptions>]>([
    ['plain', {}],
    ['of a recorder that did not know the length', { dataBytes: 0xffff_ffff }],
    ['with the extensible format header', { tag: 0xfffe, subformat: 1 }],
    [
      'with text before and after the sound',
      {
        front: [
          ['LIST', 200],
          ['bext', 602],
        ],
        behind: [['id3 ', 100]],
      },
    ],
    ['with a false byte rate', { byteRate: 88_200_000 }],
  ])('%s is as long as its samples', async (_name, change) => {
    const result = await expectNotShort(decode, wav({ ...honest, ...change }), 'audio');
    expect(result).toMatchObject({ measured: 20 });
  });

  test.each<[string, Partial<WavOptions>, string]>([
    ['samples of two sizes', { blockAlign: 16 }, 'twice'],
    ['two formats', { front: [['fmt ', 16]] }, 'twice'],
    ['compressed sound', { tag: 2 }, 'sound'],
  ])('with %s is refused with a reason', async (_name, change, because) => {
    const result = await measuredLength(decode, wav({ ...honest, ...change }), 'audio');
    expect(result).toEqual({ refused: { kind: 'unclear_length', because } });
  });

  test.each(['mp3', 'aac'] as const)(
    'that holds an %s in place of samples is refused with a reason',
    async (name) => {
      const hidden = Buffer.from(await taggedMedia(name));
      const bytes = wav({
        ...honest,
        channels: 2,
        rateHz: 96_000,
        data: Buffer.concat([hidden, hidden, hidden]),
      });
      const result = await measuredLength(decode, bytes, 'audio');
      expect(result).toEqual({ refused: { kind: 'unclear_length', because: 'sound' } });
    },
  );

  test('is never measured shorter than programs play it, whatever its header says', async () => {
    const head = fc.record({
      tag: fc.constantFrom(1, 1, 3, 6, 7, 0xfffe),
      subformat: fc.constantFrom(1, 3, 7),
      channels: fc.constantFrom(1, 2, 8),
      rateHz: fc.constantFrom(8_000, 44_100, 192_000),
      bits: fc.constantFrom(8, 12, 16, 24, 32),
      blockAlign: fc.constantFrom(undefined, undefined, 1, 2, 64),
      byteRate: fc.nat(),
      validBits: fc.constantFrom(0, 8, 16, 24),
      dataBytes: fc.constantFrom(undefined, 0, 2, 0xffff_ffff),
    });
    await fc.assert(
      fc.asyncProperty(head, async ({ blockAlign, dataBytes, ...rest }) => {
        const options = {
          ...rest,
          ...(blockAlign && { blockAlign }),
          ...(dataBytes !== undefined && { dataBytes }),
        };
        await expectNotShort(decode, wav({ ...honest, ...options }), 'audio');
      }),
      RUNS,
    );
  });
});

describe('a FLAC', () => {
  /**
   * The offset of the first block's content, which contains the sample rate and the number of samples. It follows the
   * signature and the block's header.
   */
  const INFO_AT = 8;
  let flac: Buffer;
  beforeAll(async () => {
    flac = Buffer.from(await taggedMedia('flac'));
  });

  function stating(samples: number, rateHz?: number): Buffer {
    const bytes = Buffer.from(flac);
    bytes.writeUInt32BE(samples, INFO_AT + 14);
    if (rateHz !== undefined) {
      const rest = bytes.readUInt8(INFO_AT + 12) & 0x0f;
      bytes.writeUIntBE(rateHz * 16 + rest, INFO_AT + 10, 3);
    }
    return bytes;
  }

  test.each([0, 1, 480])('that states %i samples is as long as its frames', async (samples) => {
    const result = await expectNotShort(decode, stating(samples), 'audio');
    expect('measured' in result ? result.measured : 0).toBeGreaterThan(0.99);
  });

  /**
   * Splits the file into its frames: each starts with the same two bytes and contains its number, which is below 128,
   * in one byte.
   */
  function frames(): Buffer[] {
    const first = flac.indexOf(Buffer.from('fff8', 'hex'));
    const starts = [first];
    for (let at = first; at >= 0;) {
      at = flac.indexOf(Buffer.from([0xff, 0xf8]), at + 1);
      if (at >= 0 && flac[at + 4] === starts.length && flac[at + 2] === flac[first + 2]) starts.push(at);
    }
    return starts.map((start, index) => flac.subarray(start, starts[index + 1] ?? flac.length));
  }

  test.each([[2], [3], [7]])(
    'with gaps of %i in the numbers of its frames is as long as with silence',
    async (step) => {
      const all = frames();
      expect(all.length).toBeGreaterThan(8);
      const kept = all.filter((_frame, index) => index % step === 0);
      const bytes = Buffer.concat([stating(0).subarray(0, flac.indexOf(all[0] ?? '')), ...kept]);
      const result = await expectNotShort(decode, bytes, 'audio');
      expect('measured' in result ? result.measured : 0).toBeGreaterThan(0.7);
      expect('measured' in result ? result.measured : 9).toBeLessThan(1.1);
    },
  );

  test('is never measured shorter than programs play it, whichever frames are lost, damaged or repeated', async () => {
    const all = frames();
    const head = stating(0).subarray(0, flac.indexOf(all[0] ?? ''));
    const part = fc.record({
      index: fc.nat({ max: all.length - 1 }),
      damagedAt: fc.option(fc.nat({ max: 5_000 })),
      noise: fc.uint8Array({ maxLength: 3 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(part, { minLength: 1, maxLength: 12 }), async (parts) => {
        const sound = parts.map(({ index, damagedAt, noise }) => {
          const frame = Buffer.from(all[index] ?? head);
          if (damagedAt !== null) frame[6 + (damagedAt % (frame.length - 6))] = 0x55;
          return Buffer.concat([frame, noise]);
        });
        await expectNotShort(decode, Buffer.concat([head, ...sound]), 'audio');
      }),
      RUNS,
    );
  });

  test('with a damaged frame before its last one is refused, because FFmpeg plays the last one twice', async () => {
    const all = frames();
    const head = stating(0).subarray(0, flac.indexOf(all[0] ?? ''));
    const damaged = all.map((frame, index) => {
      const copy = Buffer.from(frame);
      if (index === all.length - 2) copy.writeUInt8(copy.readUInt8(copy.length - 1) ^ 0x55, copy.length - 1);
      return copy;
    });
    expect(await expectNotShort(decode, Buffer.concat([head, ...damaged]), 'audio')).toEqual({
      refused: { kind: 'undecodable' },
    });
  });

  test('that is cut off inside its last frame is as long as its frames', async () => {
    const result = await expectNotShort(decode, stating(0).subarray(0, -20), 'audio');
    expect('measured' in result ? result.measured : 0).toBeGreaterThan(0.99);
  });

  test('whose frames have another sample rate than its header is refused with a reason', async () => {
    expect(await measuredLength(decode, stating(480, 655_350), 'audio')).toEqual({
      refused: { kind: 'unclear_length', because: 'twice' },
    });
  });

  test('with two headers is refused with a reason', async () => {
    const bytes = Buffer.concat([flac.subarray(0, 42), flac.subarray(4)]);
    expect(await measuredLength(decode, bytes, 'audio')).toEqual({
      refused: { kind: 'unclear_length', because: 'twice' },
    });
  });
});

describe.each(['ogg (Opus)', 'ogg (Vorbis)'] as const)('an %s', (name) => {
  let whole: Buffer;
  beforeAll(async () => {
    whole = Buffer.from(await taggedMedia(name));
  });

  /**
   * Returns the file with this serial number, and with these granule positions in its pages. The positions are repeated
   * if there are more pages.
   */
  function withGranules(granules: readonly number[], serial?: number): Buffer {
    const bytes = Buffer.from(whole);
    let index = 0;
    for (let at = bytes.indexOf('OggS'); at >= 0; at = bytes.indexOf('OggS', at + 27)) {
      const next = bytes.indexOf('OggS', at + 27);
      bytes.writeBigInt64LE(BigInt(granules[index % granules.length] ?? 0), at + 6);
      if (serial !== undefined) bytes.writeUInt32LE(serial, at + 14);
      sealOggPage(bytes.subarray(at, next < 0 ? bytes.length : next));
      index += 1;
    }
    return bytes;
  }

  test('whose granule position stands still is as long as its packets', async () => {
    const result = await expectNotShort(decode, withGranules([400]), 'audio');
    expect('measured' in result ? result.measured : 0).toBeGreaterThan(0.95);
  });

  test('that continues with another recording is as long as both', async () => {
    const bytes = Buffer.concat([whole, withGranules([1], 4_711)]);
    const result = await expectNotShort(decode, bytes, 'audio');
    expect('measured' in result ? result.measured : 0).toBeGreaterThan(1.9);
  });

  test('that continues with a recording of the same serial number is refused with a reason', async () => {
    expect(await measuredLength(decode, Buffer.concat([whole, whole]), 'audio')).toEqual({
      refused: { kind: 'unclear_length', because: 'twice' },
    });
  });

  test('is never measured shorter than programs play it, whatever its granule positions say', async () => {
    const granules = fc.array(fc.oneof(fc.constantFrom(-1, 0, 1), fc.integer({ min: 0, max: 5_000_000 })), {
      minLength: 1,
      maxLength: 6,
    });
    await fc.assert(
      fc.asyncProperty(granules, async (clock) => {
        await expectNotShort(decode, withGranules(clock), 'audio');
      }),
      RUNS,
    );
  });
});
