import { unclearLength } from '../media-error.ts';
import { AAC_FRAME_SAMPLES, AAC_RATES_HZ } from './aac-config.ts';
import { aacMeter } from './aac-meter.ts';

const HEADER_BYTES = 7;
const CHECKSUM_BYTES = 2;
/** The AAC object type with a scalable sampling rate, which ordinary programs do not decode. */
const SCALABLE_RATE = 3;

/**
 * Returns the duration of a whole ADTS frame in seconds. Throws `MediaError` if the frame states that it has several
 * blocks, because no encoder writes such frames and decoders play them differently.
 */
export function adtsSeconds(frame: Buffer): number {
  const [, second = 0, third = 0, , , , seventh = 0] = frame;
  const kind = (third >> 6) + 1;
  const rateIndex = (third >> 2) & 0x0f;
  const rateHz = AAC_RATES_HZ[rateIndex];
  if ((seventh & 0x03) !== 0 || kind === SCALABLE_RATE || rateHz === undefined) {
    throw unclearLength('sound', 'AAC of a kind that cannot be measured');
  }
  const hasChecksum = (second & 1) === 0;
  const meter = aacMeter({ blockSeconds: AAC_FRAME_SAMPLES / rateHz, coder: { kind, rateIndex } });
  const block = frame.subarray(HEADER_BYTES + (hasChecksum ? CHECKSUM_BYTES : 0));
  return meter.seconds(block, block.length);
}
