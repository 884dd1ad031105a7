/** One of a member's Opus packets, as it arrived. Packets may be lost, late, repeated or out of order. */
export interface SpeechPacket {
  readonly opus: Uint8Array;
  /** From the RTP header: 0 to 65,535, increased by one for each packet. A gap means lost packets. */
  readonly sequence: number;
  /** From the RTP header, in samples at 48 kHz, modulo 2^32. A jump without a gap in `sequence` is silence. */
  readonly timestamp: number;
  /** From the RTP header. Another value means another stream, for which the decoder is reset. */
  readonly ssrc: number;
}
