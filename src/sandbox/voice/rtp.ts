/** Discord's payload type for Opus. */
const OPUS_PAYLOAD_TYPE = 120;
const RTP_HEADER_BYTES = 12;
/** The size of the two fields at the start of a header extension: the profile and the length. */
const EXTENSION_HEADER_BYTES = 4;
/**
 * The header of an extension with "one-byte headers" (RFC 8285) and a length of one word. The extension contains an
 * audio level, as packets from Discord's own clients do.
 */
const EXTENSION_HEADER: Buffer = Buffer.from([0xbe, 0xde, 0x00, 0x01]);
const EXTENSION_BODY: Buffer = Buffer.from([0x10, 0x90, 0x00, 0x00]);

/** One voice packet without the transport's encryption. */
export interface RtpPacket {
  readonly ssrc: number;
  /** 0 to 65,535. */
  readonly sequence: number;
  /** In samples at 48 kHz, modulo 2^32. */
  readonly timestamp: number;
  /** An Opus packet, possibly encrypted end to end. */
  readonly frame: Uint8Array;
}

/** The optional parts of a packet. */
interface RtpShape {
  readonly hasExtension: boolean;
  /** Bytes of padding, at most 255; 0 means none. */
  readonly paddingBytes: number;
}

/** A packet in two parts: the header stays unencrypted, and the body is encrypted (`rtpsize`). */
export interface RtpParts {
  readonly header: Buffer;
  readonly body: Buffer;
}

/** Returns the two parts of the packet, ready to be encrypted and sent. */
export function rtpParts(packet: RtpPacket, shape: RtpShape): RtpParts {
  const fixed = Buffer.alloc(RTP_HEADER_BYTES);
  fixed[0] = 0x80 | (shape.paddingBytes > 0 ? 0x20 : 0) | (shape.hasExtension ? 0x10 : 0);
  fixed[1] = OPUS_PAYLOAD_TYPE;
  fixed.writeUInt16BE(packet.sequence, 2);
  fixed.writeUInt32BE(packet.timestamp, 4);
  fixed.writeUInt32BE(packet.ssrc, 8);
  const padding = Buffer.alloc(shape.paddingBytes);
  if (shape.paddingBytes > 0) padding[shape.paddingBytes - 1] = shape.paddingBytes;
  return {
    header: shape.hasExtension ? Buffer.concat([fixed, EXTENSION_HEADER]) : fixed,
    body: Buffer.concat([...(shape.hasExtension ? [EXTENSION_BODY] : []), packet.frame, padding]),
  };
}

/** Returns the length of the unencrypted part of a received packet, or undefined if it is not a voice packet. */
export function clearBytes(packet: Buffer): number | undefined {
  if (packet.byteLength < RTP_HEADER_BYTES) return undefined;
  const first = packet.readUInt8(0);
  if (first >> 6 !== 2 || (packet.readUInt8(1) & 127) !== OPUS_PAYLOAD_TYPE) return undefined;
  const bytes = RTP_HEADER_BYTES + 4 * (first & 15) + ((first & 16) === 0 ? 0 : EXTENSION_HEADER_BYTES);
  return packet.byteLength >= bytes ? bytes : undefined;
}

/** Parses a received packet from its two parts. Returns undefined if its lengths are inconsistent. */
export function readRtp(header: Buffer, body: Buffer): RtpPacket | undefined {
  const first = header.readUInt8(0);
  const extensionBytes =
    (first & 16) === 0 ? 0 : 4 * header.readUInt16BE(header.byteLength - EXTENSION_HEADER_BYTES + 2);
  const paddingBytes = (first & 32) === 0 ? 0 : (body.at(-1) ?? 0);
  if (extensionBytes + paddingBytes > body.byteLength) return undefined;
  return {
    ssrc: header.readUInt32BE(8),
    sequence: header.readUInt16BE(2),
    timestamp: header.readUInt32BE(4),
    frame: body.subarray(extensionBytes, body.byteLength - paddingBytes),
  };
}
