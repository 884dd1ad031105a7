import type { AacCoder } from './aac-block.ts';
import { BitReader } from './bit-reader.ts';

/** The AAC sampling rates, by their index. */
export const AAC_RATES_HZ: readonly number[] = [
  96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8_000, 7_350,
];
export const AAC_FRAME_SAMPLES = 1024;

const OWN_RATE = 15;
/** A custom sampling rate uses the bands of the first of these rates that it reaches (ISO/IEC 14496-3, 4.5.1.1). */
const RATES_FROM_HZ = [
  92_017, 75_132, 55_426, 46_009, 37_566, 27_713, 23_004, 18_783, 13_856, 11_502, 9_391, 0,
];
/** The object types Main, LC and LTP. */
const USUAL_KINDS: readonly number[] = [1, 2, 4];
/** The error resilient object types LC, LD and ELD. For these, decoders play one block per packet. */
const RESILIENT_KINDS: readonly number[] = [17, 23, 39];
/** The object type for spectral band replication, and the one for band replication with parametric stereo. */
const REPLICATED = 5;
const PARAMETRIC = 29;

/** The properties of a track's packets, read from an AudioSpecificConfig. */
export interface AacFormat {
  /**
   * The longest duration of a block. Band replication does not change the duration, because it doubles both the samples
   * and the rate.
   */
  readonly blockSeconds: number;
  /** The data for counting a packet's blocks; `undefined` if every decoder plays a packet as one block. */
  readonly coder: AacCoder | undefined;
}

/** Reads an AudioSpecificConfig; returns `undefined` for other kinds of MPEG-4 sound. */
export function aacFormat(config: Buffer): AacFormat | undefined {
  const bits = new BitReader(config);
  const stated = readKind(bits);
  const rate = readRate(bits);
  bits.skip(4);
  const isReplicated = stated === REPLICATED || stated === PARAMETRIC;
  // Older programs used the number 29 for a different codec.
  if (stated === PARAMETRIC && rate.index < 3) return undefined;
  if (isReplicated) readRate(bits);
  const kind = isReplicated ? readKind(bits) : stated;
  const isUsual = USUAL_KINDS.includes(kind);
  if (!isUsual && !RESILIENT_KINDS.includes(kind)) return undefined;
  // A block of 960 samples, which is only used in radio, has different bands.
  const isShort = bits.bit() === 1;
  if (bits.left < 0 || !rate.hz || (isUsual && isShort)) return undefined;
  return {
    blockSeconds: AAC_FRAME_SAMPLES / rate.hz,
    coder: isUsual ? { kind, rateIndex: rate.index } : undefined,
  };
}

function readKind(bits: BitReader): number {
  const short = bits.read(5);
  return short === 31 ? 32 + bits.read(6) : short;
}

function readRate(bits: BitReader): { readonly hz: number | undefined; readonly index: number } {
  const index = bits.read(4);
  if (index !== OWN_RATE) return { hz: AAC_RATES_HZ[index], index };
  const hz = bits.read(24);
  return { hz, index: RATES_FROM_HZ.findIndex((fromHz) => hz >= fromHz) };
}
