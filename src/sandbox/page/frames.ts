import type { LoggedPacket } from '../voice/packet-log.ts';

const MICROPHONE = 1;
const HEARD = 2;
const MICROPHONE_HEADER_BYTES = 5;
const HEARD_HEADER_BYTES = 20;
const OPUS_BYTES_MAX = 1275;

/**
 * Parses a microphone packet in the format of `page-wire.ts`. Returns undefined if `bytes` is not a microphone packet.
 */
export function readMicrophone(bytes: Buffer): { timestamp: number; opus: Uint8Array } | undefined {
  const size = bytes.byteLength - MICROPHONE_HEADER_BYTES;
  if (size < 1 || size > OPUS_BYTES_MAX || bytes[0] !== MICROPHONE) return undefined;
  return { timestamp: bytes.readUInt32BE(1), opus: Uint8Array.from(bytes.subarray(MICROPHONE_HEADER_BYTES)) };
}

/** Encodes a received audio packet in the format of `page-wire.ts`. */
export function writeHeard(
  speaker: { readonly id: string; readonly bot: boolean },
  { sequence, timestamp, ssrc }: LoggedPacket,
  opus: Uint8Array,
): Buffer {
  const bytes = Buffer.alloc(HEARD_HEADER_BYTES + opus.byteLength);
  bytes.writeUInt8(HEARD, 0);
  bytes.writeUInt8(speaker.bot ? 1 : 0, 1);
  bytes.writeUInt16BE(sequence, 2);
  bytes.writeUInt32BE(timestamp, 4);
  bytes.writeUInt32BE(ssrc, 8);
  bytes.writeBigUInt64BE(BigInt(speaker.id), 12);
  bytes.set(opus, HEARD_HEADER_BYTES);
  return bytes;
}
