/** The unencrypted header of an RTP packet. */
export interface RtpHeader {
  readonly sequence: number;
  readonly timestamp: number;
  readonly ssrc: number;
  /** The size in bytes of the unencrypted part: the fixed header, contributing sources, and the extension's header. */
  readonly headerSize: number;
  /** The size in bytes of the extension's body, which comes first in the encrypted part. */
  readonly extensionSize: number;
  readonly isPadded: boolean;
}

const VERSION = 2;
const OPUS = 120;
const FIXED_SIZE = 12;
const WORD = 4;

/**
 * Parses the header of a speech packet; returns null for any other packet (keep-alive, discovery, control report,
 * video).
 */
export function parseRtpHeader(packet: Buffer): RtpHeader | null {
  if (packet.length < FIXED_SIZE) return null;
  const first = packet.readUInt8(0);
  if (first >> 6 !== VERSION || (packet.readUInt8(1) & 0x7f) !== OPUS) return null;
  const sourcesSize = (first & 0x0f) * WORD;
  const hasExtension = (first & 0x10) !== 0;
  const headerSize = FIXED_SIZE + sourcesSize + (hasExtension ? WORD : 0);
  if (packet.length < headerSize) return null;
  return {
    sequence: packet.readUInt16BE(2),
    timestamp: packet.readUInt32BE(4),
    ssrc: packet.readUInt32BE(8),
    headerSize,
    extensionSize: hasExtension ? packet.readUInt16BE(headerSize - 2) * WORD : 0,
    isPadded: (first & 0x20) !== 0,
  };
}

/**
 * Returns the payload in the decrypted part of a packet, without the extension's body and the padding; null if nothing
 * is left or the padding is invalid. Only the header shows whether there is an extension, because a payload may start
 * with `BE DE` by chance.
 */
export function payloadOf({ extensionSize, isPadded }: RtpHeader, opened: Buffer): Buffer | null {
  const paddingSize = isPadded ? (opened.at(-1) ?? 0) : 0;
  if (isPadded && paddingSize === 0) return null;
  const end = opened.length - paddingSize;
  return extensionSize < end ? opened.subarray(extensionSize, end) : null;
}
