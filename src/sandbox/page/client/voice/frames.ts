/** The binary packets of the page's socket. The sandbox's `page-wire.ts` describes their layouts. */

const MICROPHONE = 1;
const HEARD = 2;
const MICROPHONE_HEADER_BYTES = 5;
const HEARD_HEADER_BYTES = 20;
const OPUS_BYTES_MAX = 1275;

/** An audio packet that the member receives. */
export interface Heard {
  /** Whether the packet contains a bot's speech. */
  readonly converted: boolean;
  /** The packet's number, modulo 2^16. */
  readonly sequence: number;
  /** In samples at 48 kHz, modulo 2^32. */
  readonly timestamp: number;
  readonly ssrc: number;
  readonly userId: string;
  readonly opus: Uint8Array;
}

/** Encodes a microphone packet. `timestamp` is in samples at 48 kHz. Returns undefined if the packet is too large. */
export function writeMicrophone(timestamp: number, opus: Uint8Array): Uint8Array<ArrayBuffer> | undefined {
  if (opus.byteLength === 0 || opus.byteLength > OPUS_BYTES_MAX) return undefined;
  const bytes = new Uint8Array(MICROPHONE_HEADER_BYTES + opus.byteLength);
  bytes[0] = MICROPHONE;
  new DataView(bytes.buffer).setUint32(1, timestamp % 2 ** 32);
  bytes.set(opus, MICROPHONE_HEADER_BYTES);
  return bytes;
}

/** Decodes a received audio packet. Returns undefined if `data` is not an audio packet. */
export function readHeard(data: Uint8Array): Heard | undefined {
  const size = data.byteLength - HEARD_HEADER_BYTES;
  if (size < 1 || size > OPUS_BYTES_MAX) return undefined;
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  if (view.getUint8(0) !== HEARD) return undefined;
  return {
    converted: view.getUint8(1) === 1,
    sequence: view.getUint16(2),
    timestamp: view.getUint32(4),
    ssrc: view.getUint32(8),
    userId: view.getBigUint64(12).toString(),
    opus: data.subarray(HEARD_HEADER_BYTES),
  };
}
