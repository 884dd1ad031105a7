export const RATE_HZ = 48_000;
/** 20 ms, as every packet holds. */
export const PACKET_SAMPLES = 960;
