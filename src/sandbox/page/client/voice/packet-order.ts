import { PACKET_SAMPLES } from './packet-size.ts';

/** The longest gap that counts as lost packets, in packets. Longer gaps are pauses. */
const GAP_PACKETS_MAX = 10;

/** Finds out which packets of one speaker were lost. */
export class PacketOrder {
  #last: { readonly sequence: number; readonly timestamp: number } | undefined;

  /**
   * Returns the number of samples that were lost before this packet, or undefined if it arrived too late to be played.
   */
  accept(packet: { readonly sequence: number; readonly timestamp: number }): number | undefined {
    const last = this.#last;
    const ahead = last ? (packet.sequence - last.sequence) & 0xffff : 1;
    if (ahead === 0 || ahead > 0x8000) return undefined;
    this.#last = packet;
    const samples = last ? (packet.timestamp - last.timestamp) >>> 0 : PACKET_SAMPLES;
    const missing = Math.min(ahead - 1, samples / PACKET_SAMPLES - 1);
    return missing > 0 && missing <= GAP_PACKETS_MAX ? Math.round(missing) * PACKET_SAMPLES : 0;
  }
}
