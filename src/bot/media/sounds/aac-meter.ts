import { unclearLength } from '../media-error.ts';
import { countBlocks } from './aac-block.ts';
import type { AacFormat } from './aac-config.ts';
import { adtsFrame } from './adts-frame.ts';
import { PACKET_BYTES_MAX, type SoundMeter } from './sound-meter.ts';

/**
 * Returns a meter for AAC packets. A packet should hold one block but may hold several. A packet with its own header is
 * refused, because decoders use the rate in that header.
 */
export function aacMeter({ blockSeconds, coder }: AacFormat): SoundMeter {
  return {
    headBytes: PACKET_BYTES_MAX,
    seconds(packet) {
      demandNoHeader(packet);
      return (coder ? countBlocks(packet, coder, demandNoHeader) : 1) * blockSeconds;
    },
  };
}

function demandNoHeader(rest: Buffer): void {
  if (adtsFrame(rest)) throw unclearLength('twice', 'AAC with headers in a container');
}
