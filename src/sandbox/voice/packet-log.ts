/** One voice packet as somebody got it. */
export interface LoggedPacket {
  readonly ssrc: number;
  readonly sequence: number;
  /** In samples of 48 kHz, modulo 2^32. */
  readonly timestamp: number;
  /** When it came in, on the wire clock's monotonic time. */
  readonly atMs: number;
  /** Of the frame, without headers and the transport's encryption. */
  readonly sizeBytes: number;
  /** The Opus packet; null when the call's encryption could not be undone. */
  readonly opus: Uint8Array | null;
}

/** Ten minutes of one speaker. */
const PACKETS_MAX = 30_000;

/** The last 30,000 packets of one speaker, oldest first. */
export class PacketLog {
  #packets: LoggedPacket[] = [];

  get packets(): readonly LoggedPacket[] {
    return this.#packets.slice(-PACKETS_MAX);
  }

  add(packet: LoggedPacket): void {
    this.#packets.push(packet);
    if (this.#packets.length >= 2 * PACKETS_MAX) this.#packets = this.#packets.slice(-PACKETS_MAX);
  }
}
