import { describe, expect, test } from 'vitest';
import { clean } from '../use-media.ts';
import { matroska } from './matroska-writer.ts';
import { expectNotShort } from './measured-length.ts';
import { useDecoders } from './use-decoders.ts';

const decode = useDecoders();

async function measuredSeconds(bytes: Uint8Array): Promise<number> {
  return (await clean(bytes, 'audio', { durationSecondsMax: 36_000 })).durationSeconds ?? 0;
}

/**
 * Creates a Matroska file with `count` packets of this data. They all start at the same time, so that only their
 * content determines its length.
 */
function packets(codec: string, data: Uint8Array, count: number): Buffer {
  const all = Array.from({ length: count }, () => ({ data, tick: 0 }));
  return matroska({ codec, setup: new Uint8Array(0), packets: all });
}

describe('frames of MPEG audio', () => {
  const FIRST_LAYER_2 = [32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384];
  const FIRST_LAYER_3 = [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320];
  const SECOND = [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160];
  /**
   * The version number, the layer number, the samples per frame, the bit rates in kbit/s, and the sample rates in Hz.
   */
  const KINDS = [
    [3, 2, 1_152, FIRST_LAYER_2, [44_100, 48_000, 32_000]],
    [2, 2, 1_152, SECOND, [22_050, 24_000, 16_000]],
    [3, 1, 1_152, FIRST_LAYER_3, [44_100, 48_000, 32_000]],
    [2, 1, 576, SECOND, [22_050, 24_000, 16_000]],
    [0, 1, 576, SECOND, [11_025, 12_000, 8_000]],
  ] as const;
  const ROWS = KINDS.flatMap(([version, layer, samples, kilobits, rates]) =>
    rates.map((rateHz, rate) => ({ version, layer, samples, kilobits, rateHz, rate })),
  );

  test.each(ROWS)(
    'of version $version and layer $layer at $rateHz Hz last $samples samples, at every bit rate',
    async ({ version, layer, samples, kilobits, rateHz, rate }) => {
      const frames = kilobits.flatMap((kilobit, index) =>
        [0, 1].map((padding) => {
          const frame = Buffer.alloc(Math.floor((samples * kilobit * 125) / rateHz) + padding);
          frame.set([0xff, 0xe1 | (version << 3) | (layer << 1)]);
          frame.set(
            [((index + 1) << 4) | (rate << 2) | (padding << 1), layer === 2 && kilobit > 192 ? 0 : 0xc0],
            2,
          );
          return frame;
        }),
      );
      const bytes = Buffer.concat([...frames, ...frames, Buffer.from('TAG')]);
      const result = await expectNotShort(decode, bytes, 'audio');
      expect(result).toMatchObject({
        measured: expect.closeTo((frames.length * 2 * samples) / rateHz, 6) as number,
      });
      expect((await clean(bytes, 'audio')).sizeBytes).toBe(bytes.length - 3);
    },
  );
});

describe('frames of FLAC', () => {
  /** The number of samples in a frame, by the size code in its header. */
  const SIZES = [
    192, 576, 1_152, 2_304, 4_608, 100, 1_000, 256, 512, 1_024, 2_048, 4_096, 8_192, 16_384, 32_768,
  ];
  const RATES_HZ = [
    88_200, 176_400, 192_000, 8_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000, 96_000, 12_000, 11_025,
    37_800,
  ];
  const FRAMES = 3;

  /** Computes a checksum with this many bits. */
  function checksum(bytes: Uint8Array, bits: number, polynomial: number): number {
    const top = 2 ** (bits - 1);
    let rest = 0;
    for (const byte of bytes) {
      rest ^= byte << (bits - 8);
      for (let bit = 0; bit < 8; bit += 1)
        rest = rest & top ? ((rest << 1) ^ polynomial) & (top * 2 - 1) : rest << 1;
    }
    return rest;
  }

  /** Creates frames with one constant value. Each frame's header contains its number of samples and its sample rate. */
  function flac(size: number, rate: number): Buffer {
    const samples = SIZES[size - 1] ?? 0;
    const rateHz = RATES_HZ[rate - 1] ?? 0;
    const info = Buffer.alloc(42);
    info.write('fLaC');
    info.set([0x80, 0, 0, 34], 4);
    info.writeUInt16BE(samples, 8);
    info.writeUInt16BE(samples, 10);
    info.writeUIntBE(rateHz * 16, 18, 3);
    info.writeUInt8(0xf0, 21);
    const sizeBytes =
      size === 6 ? [samples - 1] : size === 7 ? [(samples - 1) >> 8, (samples - 1) & 0xff] : [];
    const stated = rate === 14 ? rateHz / 10 : rateHz;
    const rateBytes = rate < 12 ? [] : rate === 12 ? [rateHz / 1_000] : [stated >> 8, stated & 0xff];
    const frames = Array.from({ length: FRAMES }, (_none, index) => {
      const head = Buffer.from([0xff, 0xf8, (size << 4) | rate, 0x08, index, ...sizeBytes, ...rateBytes]);
      const frame = Buffer.from([...head, checksum(head, 8, 0x07), 0, 0, 0]);
      const end = checksum(frame, 16, 0x8005);
      return Buffer.concat([frame, Buffer.from([end >> 8, end & 0xff])]);
    });
    return Buffer.concat([info, ...frames]);
  }

  test.each(SIZES.map((samples, index) => [samples, index + 1] as const))(
    'with %i samples last as long as other programs play them',
    async (samples, size) => {
      const result = await expectNotShort(decode, flac(size, 9), 'audio');
      const seconds = (FRAMES * samples) / 44_100;
      expect(result).toMatchObject({
        measured: expect.closeTo(seconds, 6) as number,
        decoded: { ffmpeg: expect.closeTo(seconds, 6) as number },
      });
    },
  );

  test('last as long as their samples at any sample rate', async () => {
    for (const [index, rateHz] of RATES_HZ.entries()) {
      const measured = await measuredSeconds(flac(12, index + 1));
      expect([rateHz, measured]).toEqual([rateHz, expect.closeTo((FRAMES * 4_096) / rateHz, 6)]);
    }
  });
});

describe('packets of Opus', () => {
  const SPEECH = [10, 20, 40, 60];
  const MIXED = [10, 20];
  const MUSIC = [2.5, 5, 10, 20];
  const FRAME_MS = [SPEECH, SPEECH, SPEECH, MIXED, MIXED, MUSIC, MUSIC, MUSIC, MUSIC].flat();

  test('of one frame last as long as the frame, in every mode', async () => {
    for (const [mode, ms] of FRAME_MS.entries()) {
      const measured = await measuredSeconds(packets('A_OPUS', Buffer.from([mode << 3, 0, 0]), 4));
      expect([mode, measured]).toEqual([mode, expect.closeTo((4 * ms) / 1_000, 6)]);
    }
  });

  test.each([
    ['two frames of one size', 1, 0, 2],
    ['two frames of two sizes', 2, 0, 2],
    ['a counted frame', 3, 1, 1],
    ['five counted frames', 3, 5, 5],
    ['five counted frames with padding', 3, 0xc5, 5],
    ['more frames than allowed', 3, 63, 63],
  ])('of %s last as long as the frames', async (_name, code, count, frames) => {
    for (const mode of [3, 12, 16, 31]) {
      const measured = await measuredSeconds(
        packets('A_OPUS', Buffer.from([(mode << 3) | code, count, 0, 0]), 4),
      );
      expect([mode, measured]).toEqual([
        mode,
        expect.closeTo((4 * frames * (FRAME_MS[mode] ?? 0)) / 1_000, 6),
      ]);
    }
  });

  test('without a byte last as long as a packet may', async () => {
    expect(await measuredSeconds(packets('A_OPUS', Buffer.alloc(0), 4))).toBeCloseTo(0.48, 6);
  });
});

describe('frames of AC-3', () => {
  const RATES_HZ = [48_000, 44_100, 32_000];
  const frame = (kind: number, codes: number, version: number): Buffer =>
    Buffer.from([0x0b, 0x77, kind, 0, codes, version << 3, 0, 0]);

  test('last 1536 samples at the stated rate, or at a half or a quarter of it', async () => {
    for (const [code, rateHz] of RATES_HZ.entries()) {
      for (const [version, share] of [
        [6, 1],
        [8, 1],
        [9, 2],
        [10, 4],
      ] as const) {
        const data = frame(0, code << 6, version);
        const measured = await measuredSeconds(packets('A_AC3', Buffer.concat([data, data]), 3));
        expect([rateHz, version, measured]).toEqual([
          rateHz,
          version,
          expect.closeTo((6 * 1_536 * share) / rateHz, 6),
        ]);
      }
    }
  });

  test('of E-AC-3 last as many blocks as they state', async () => {
    for (const [code, rateHz] of RATES_HZ.entries()) {
      for (const [number, blocks] of [1, 2, 3, 6].entries()) {
        const data = frame(0, (code << 6) | (number << 4), 16);
        const measured = await measuredSeconds(packets('A_EAC3', data, 3));
        expect([rateHz, blocks, measured]).toEqual([
          rateHz,
          blocks,
          expect.closeTo((3 * blocks * 256) / rateHz, 6),
        ]);
      }
    }
    // At a reduced sample rate, a frame always has six blocks, and it is measured at the lowest possible rate.
    const low = await measuredSeconds(packets('A_EAC3', frame(0, 0xc0, 16), 3));
    expect(low).toBeCloseTo((3 * 1_536) / 16_000, 6);
  });

  test('that only add channels to the previous frame add no time', async () => {
    const further = Buffer.concat([frame(0, 0x30, 16), frame(0x40, 0x30, 16)]);
    expect(await measuredSeconds(packets('A_EAC3', further, 3))).toBeCloseTo((3 * 1_536) / 48_000, 6);
    const another = Buffer.concat([frame(0, 0x30, 16), frame(0x80, 0x30, 16)]);
    expect(await measuredSeconds(packets('A_EAC3', another, 3))).toBeCloseTo((6 * 1_536) / 48_000, 6);
  });
});
