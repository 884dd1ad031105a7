/** One Opus packet of a member, as it came in: packets may be lost, late, doubled or out of order. */
export interface SpeechPacket {
  readonly opus: Uint8Array;
  /** Of the RTP header, 0 to 65,535, one more for each packet; a step says what was lost. */
  readonly sequence: number;
  /** Of the RTP header, in samples of 48 kHz, modulo 2^32; a jump without a step of `sequence` is silence. */
  readonly timestamp: number;
  /** Another one means another stream: nothing of the decoder's state holds for it. */
  readonly ssrc: number;
}
