/** Measures packets of sound by their contents, without regard to the timestamps of the container. */
export interface SoundMeter {
  /** The number of leading bytes of each packet that the meter needs. */
  readonly headBytes: number;
  /**
   * Returns the longest time for which a decoder plays a packet, in seconds. Must be called for the packets of a
   * stream in order.
   */
  seconds(head: Buffer, sizeBytes: number): number;
}

/** The largest packet of sound; no usual file exceeds it. */
export const PACKET_BYTES_MAX: number = 256 * 1024;

/** Returns a meter for packets that all have the same duration. */
export function evenMeter(seconds: number): SoundMeter {
  return { headBytes: 0, seconds: () => seconds };
}

/** Returns a meter for uncompressed samples. */
export function pcmMeter(bytesPerSecond: number): SoundMeter {
  return { headBytes: 0, seconds: (_head, sizeBytes) => sizeBytes / bytesPerSecond };
}

/**
 * Returns a meter for streams whose packets may be of several kinds. It takes the longest duration that any of the
 * meters returns.
 */
export function longestMeter(meters: readonly SoundMeter[]): SoundMeter {
  return {
    headBytes: Math.max(...meters.map(({ headBytes }) => headBytes)),
    seconds: (head, sizeBytes) => Math.max(...meters.map((meter) => meter.seconds(head, sizeBytes))),
  };
}
