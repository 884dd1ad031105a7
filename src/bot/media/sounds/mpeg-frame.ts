import type { Frame } from './examine-frames.ts';

const KILOBITS_1_LAYER_2 = [0, 32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384];
const KILOBITS_1_LAYER_3 = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320];
const KILOBITS_2 = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160];
const RATES_HZ = [44_100, 48_000, 32_000];

/** Reads the header of an MPEG audio frame, layer II or III (MP2 and MP3). */
export function mpegFrame(header: Uint8Array): Frame | undefined {
  const [first = 0, second = 0, third = 0] = header;
  if (first !== 0xff || (second & 0xe0) !== 0xe0 || header.length < 4) return undefined;
  const version = (second >> 3) & 0x03;
  const layer = (second >> 1) & 0x03;
  const baseRateHz = RATES_HZ[(third >> 2) & 0x03];
  if (version === 1 || layer === 0 || layer === 3 || baseRateHz === undefined) return undefined;
  const isVersion1 = version === 3;
  const isLayer3 = layer === 1;
  const kilobits = (isVersion1 ? (isLayer3 ? KILOBITS_1_LAYER_3 : KILOBITS_1_LAYER_2) : KILOBITS_2)[
    third >> 4
  ];
  if (!kilobits) return undefined;
  const rateHz = baseRateHz / (isVersion1 ? 1 : version === 2 ? 2 : 4);
  const samples = isLayer3 && !isVersion1 ? 576 : 1152;
  const padding = (third >> 1) & 0x01;
  return {
    sizeBytes: Math.floor((samples / 8) * ((kilobits * 1_000) / rateHz)) + padding,
    durationSeconds: samples / rateHz,
    // A stream is identified by its version, layer and sampling rate.
    stream: ((second & 0x1e) << 8) | (third & 0x0c),
  };
}
