import type { SoundMeter } from './sound-meter.ts';

const PACKET_SECONDS_MAX = 0.12;
const SPEECH_MS = [10, 20, 40, 60];
const MIXED_MS = [10, 20];

/**
 * Measures Opus packets. A packet's first byte determines the length of its frames; its first or second byte determines
 * the number of frames.
 */
export const opusMeter: SoundMeter = {
  headBytes: 2,
  seconds(head) {
    const [kind, count = 0] = head;
    if (kind === undefined) return PACKET_SECONDS_MAX;
    const frames = (kind & 3) === 0 ? 1 : (kind & 3) === 3 ? count & 0x3f : 2;
    // The duration is not capped at the maximum that Opus allows. A longer packet is broken, but programs that do not
    // decode it count its whole duration.
    return (frames * frameMs(kind >> 3)) / 1_000;
  },
};

function frameMs(configuration: number): number {
  if (configuration < 12) return SPEECH_MS[configuration & 3] ?? 0;
  if (configuration < 16) return MIXED_MS[configuration & 1] ?? 0;
  return 2.5 * 2 ** (configuration & 3);
}
