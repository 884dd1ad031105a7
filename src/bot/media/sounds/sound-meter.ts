/** Measures sound packets by their contents, without regard to the container's timestamps. */
export interface SoundMeter {
  /** The number of leading bytes of each packet that the meter needs. */
  readonly headBytes: number;
  /**
   * Returns the longest time for which any decoder plays a packet, in seconds. Must be called for a stream's packets in
   * order.
   */
  seconds(head: Buffer, sizeBytes: number): number;
}

/** The size limit for a sound packet; no ordinary file exceeds it. */
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
 * Returns a meter for streams whose packets may be of several kinds. The duration of a packet is the longest that any
 * of the meters returns.
 */
export function longestMeter(meters: readonly SoundMeter[]): SoundMeter {
  return {
    headBytes: Math.max(...meters.map(({ headBytes }) => headBytes)),
    seconds: (head, sizeBytes) => Math.max(...meters.map((meter) => meter.seconds(head, sizeBytes))),
  };
}
