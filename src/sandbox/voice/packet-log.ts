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

/** Three minutes of one speaker. */
const PACKETS_MAX = 9000;
/** Ten minutes. */
export const SPOKEN_PACKETS_MAX = 30_000;
/** Forgotten in one go, so that adding is cheap. */
const SURPLUS = 0.25;

/** The last packets of one speaker, oldest first: 9,000 unless told otherwise. */
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
