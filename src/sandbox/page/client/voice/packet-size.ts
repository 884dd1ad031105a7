export const RATE_HZ = 48_000;
/** The samples of 20 ms, which every packet holds. */
export const PACKET_SAMPLES = 960;
