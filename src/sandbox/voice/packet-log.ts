/** One voice packet as a participant received it. */
export interface LoggedPacket {
  readonly ssrc: number;
  readonly sequence: number;
  /** In samples at 48 kHz, modulo 2^32. */
  readonly timestamp: number;
  /** When it arrived, in the wire clock's monotonic time. */
  readonly atMs: number;
  /** The size of the frame, without headers and the transport's encryption. */
  readonly sizeBytes: number;
  /** The Opus packet, or null if it could not be decrypted. */
  readonly opus: Uint8Array | null;
}

/** Three minutes of one speaker's packets. */
const PACKETS_MAX = 9000;
/** Ten minutes of one speaker's packets. */
export const SPOKEN_PACKETS_MAX = 30_000;
/** The oldest packets are deleted only when the limit is exceeded by this share, so that adding a packet is cheap. */
const SURPLUS = 0.25;

/** The last packets of one speaker, oldest first: 9,000 by default. */
export class PacketLog {
  readonly #packetsMax: number;
  #packets: LoggedPacket[] = [];

  constructor(packetsMax: number = PACKETS_MAX) {
    this.#packetsMax = packetsMax;
  }

  get packets(): readonly LoggedPacket[] {
    return this.#packets.slice(-this.#packetsMax);
  }

  add(packet: LoggedPacket): void {
    this.#packets.push(packet);
    if (this.#packets.length > this.#packetsMax * (1 + SURPLUS)) this.#packets = [...this.packets];
  }
}
