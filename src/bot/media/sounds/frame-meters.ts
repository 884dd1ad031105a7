import { mpegFrame } from './mpeg-frame.ts';
import { PACKET_BYTES_MAX, type SoundMeter } from './sound-meter.ts';

const HEADER_BYTES = 8;
const AC3_SAMPLES = 1536;
const AC3_RATES_HZ = [48_000, 44_100, 32_000];
const AC3_BLOCKS = [1, 2, 3, 6];

/** Measures MP2 and MP3 packets, each of which may contain several frames. */
export const mpegMeter: SoundMeter = {
  headBytes: PACKET_BYTES_MAX,
  seconds(packet) {
    let seconds = 0;
    for (let at = packet.indexOf(0xff); at >= 0;) {
      const frame = mpegFrame(packet.subarray(at, at + HEADER_BYTES));
      seconds += frame?.durationSeconds ?? 0;
      at = packet.indexOf(0xff, at + (frame?.sizeBytes ?? 1));
    }
    return seconds;
  },
};

/** Measures AC-3 and E-AC-3 packets. Every sync word in a packet counts as a frame. */
export const ac3Meter: SoundMeter = {
  headBytes: PACKET_BYTES_MAX,
  seconds(packet) {
    let seconds = 0;
    for (let at = packet.indexOf('0b77', 0, 'hex'); at >= 0; at = packet.indexOf('0b77', at + 2, 'hex')) {
      seconds += ac3Seconds(packet.subarray(at));
    }
    return seconds;
  },
};

function ac3Seconds(frame: Buffer): number {
  const [, , kind = 0, , codes = 0, stream = 0] = frame;
  const version = stream >> 3;
  if (version <= 10) {
    const rateHz = AC3_RATES_HZ[codes >> 6] ?? 32_000;
    return AC3_SAMPLES / (rateHz / 2 ** Math.max(0, version - 8));
  }
  // A dependent frame, for example one with additional channels, plays together with the frame before it.
  if (kind >> 6 === 1) return 0;
  const rateHz = AC3_RATES_HZ[codes >> 6] ?? 16_000;
  const blocks = codes >> 6 === 3 ? 6 : (AC3_BLOCKS[(codes >> 4) & 3] ?? 6);
  return (blocks * 256) / rateHz;
}

/** The size in bytes of each AMR frame type. Types that do not exist count as empty frames. */
const AMR_NARROW = [13, 14, 16, 18, 20, 21, 27, 32, 6];
const AMR_WIDE = [18, 24, 33, 37, 41, 47, 51, 59, 61, 6];
const AMR_SECONDS = 0.02;

/** Returns a meter for packets of AMR, the speech codec for mobile phones. */
export function amrMeter(isWide: boolean): SoundMeter {
  const sizes = isWide ? AMR_WIDE : AMR_NARROW;
  return {
    headBytes: PACKET_BYTES_MAX,
    seconds(packet) {
      let frames = 0;
      for (let at = 0; at < packet.length; frames += 1) at += sizes[((packet[at] ?? 0) >> 3) & 0x0f] ?? 1;
      return frames * AMR_SECONDS;
    },
  };
}
