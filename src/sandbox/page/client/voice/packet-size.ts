export const RATE_HZ = 48_000;
/** The number of samples in every packet: 20 ms at 48 kHz. */
export const PACKET_SAMPLES = 960;
