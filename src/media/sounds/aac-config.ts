const RATES_HZ = [
  96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8_000, 7_350,
];
const OWN_RATE = 15;
const FRAME_SAMPLES = 1024;
/** Main, LC, SSR, LTP, with band replication, with parametric stereo; error resilient LC, LD and ELD. */
const KINDS: readonly number[] = [1, 2, 3, 4, 5, 29, 17, 23, 39];
const PARAMETRIC = 29;

/**
 * How long a frame of AAC lasts at most, in seconds, by its AudioSpecificConfig; undefined for other kinds of
 * MPEG-4 sound. With band replication a frame has twice the samples at twice the rate.
 */
export function aacFrameSeconds(config: Buffer): number | undefined {
  let at = 0;
  const read = (width: number): number => {
    let value = 0;
    for (let bit = 0; bit < width; bit += 1, at += 1) {
      value = value * 2 + (((config[at >> 3] ?? 0) >> (7 - (at & 7))) & 1);
    }
    return value;
  };
  const short = read(5);
  const kind = short === 31 ? 32 + read(6) : short;
  const rate = read(4);
  const rateHz = rate === OWN_RATE ? read(24) : RATES_HZ[rate];
  if (at > config.length * 8 || !rateHz || !KINDS.includes(kind)) return undefined;
  // Older programs wrote this number for another codec.
  if (kind === PARAMETRIC && rate < 3) return undefined;
  return FRAME_SAMPLES / rateHz;
}
