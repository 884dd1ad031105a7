/** Measures the sound in packets by what they hold, whatever the clock of their container says. */
export interface SoundMeter {
  /** The number of bytes that it needs of each packet, from its start. */
  readonly headBytes: number;
  /** The longest time for which a decoder plays a packet, in seconds. Called for the packets of a stream in their order. */
  seconds(head: Buffer, sizeBytes: number): number;
}

/** No usual file has a larger packet of sound. */
export const PACKET_BYTES_MAX: number = 256 * 1024;

/** Packets that all last equally long. */
export function evenMeter(seconds: number): SoundMeter {
  return { headBytes: 0, seconds: () => seconds };
}

/** Samples without compression. */
export function pcmMeter(bytesPerSecond: number): SoundMeter {
  return { headBytes: 0, seconds: (_head, sizeBytes) => sizeBytes / bytesPerSecond };
}

/** For a stream whose packets may be of several kinds: the longest length that any of the meters gives. */
export function longestMeter(meters: readonly SoundMeter[]): SoundMeter {
  return {
    headBytes: Math.max(...meters.map(({ headBytes }) => headBytes)),
    seconds: (head, sizeBytes) => Math.max(...meters.map((meter) => meter.seconds(head, sizeBytes))),
  };
}
