import { AAC_FRAME_SAMPLES, AAC_RATES_HZ } from './aac-config.ts';
import type { Frame } from './examine-frames.ts';

const HEADER_BYTES = 7;

/** Reads the header of an AAC frame in ADTS. */
export function adtsFrame(header: Uint8Array): Frame | undefined {
  const [first = 0, second = 0, third = 0, fourth = 0, fifth = 0, sixth = 0, seventh = 0] = header;
  if (first !== 0xff || (second & 0xf6) !== 0xf0 || header.length < HEADER_BYTES) return undefined;
  const rateHz = AAC_RATES_HZ[(third >> 2) & 0x0f];
  const sizeBytes = ((fourth & 0x03) << 11) | (fifth << 3) | (sixth >> 5);
  if (rateHz === undefined || sizeBytes < HEADER_BYTES) return undefined;
  const blocks = (seventh & 0x03) + 1;
  // A stream is identified by its profile and sampling rate.
  return { sizeBytes, durationSeconds: (blocks * AAC_FRAME_SAMPLES) / rateHz, stream: third & 0xfc };
}
