/** The binary packets of the page's socket, whose layouts are in the sandbox's `page-wire.ts`. */

const MICROPHONE = 1;
const HEARD = 2;
const MICROPHONE_HEADER_BYTES = 5;
const HEARD_HEADER_BYTES = 20;
const OPUS_BYTES_MAX = 1275;

/** A packet that the member heard. */
export interface Heard {
  /** Whether a bot said it. */
  readonly converted: boolean;
  /** Modulo 2^16. */
  readonly sequence: number;
  /** In samples of 48 kHz, modulo 2^32. */
  readonly timestamp: number;
  readonly ssrc: number;
  readonly userId: string;
  readonly opus: Uint8Array;
}

/** Writes a packet of the microphone; `timestamp` is in samples of 48 kHz. Undefined when it is too large to be sent. */
export function writeMicrophone(timestamp: number, opus: Uint8Array): Uint8Array<ArrayBuffer> | undefined {
  if (opus.byteLength === 0 || opus.byteLength > OPUS_BYTES_MAX) return undefined;
  const bytes = new Uint8Array(MICROPHONE_HEADER_BYTES + opus.byteLength);
  bytes[0] = MICROPHONE;
  new DataView(bytes.buffer).setUint32(1, timestamp % 2 ** 32);
  bytes.set(opus, MICROPHONE_HEADER_BYTES);
  return bytes;
}

/** Reads what the member heard; undefined when it is something else. */
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
