/** The longest sound in one packet, in milliseconds. */
export const OPUS_MS_MAX = 120;

/** A packet of 20 ms of silence. Five of these in a row end a stretch of speech. */
export const SILENCE_PACKET: Uint8Array = Uint8Array.of(0xf8, 0xff, 0xfe);

const SILK_MS: readonly number[] = [10, 20, 40, 60];
const CELT_MS: readonly number[] = [2.5, 5, 10, 20];
const FIRST_HYBRID = 12;
const FIRST_CELT = 16;

/**
 * Returns the duration of a packet's sound in milliseconds, from its first two bytes (RFC 6716, 3.1), or 0 if the
 * packet is not Opus.
 */
export function packetMs(packet: Uint8Array): number {
  const toc = packet[0];
  if (toc === undefined) return 0;
  const code = toc & 3;
  const frames = code === 0 ? 1 : code < 3 ? 2 : (packet[1] ?? 0) & 63;
  const ms = frames * frameMs(toc >> 3);
  return ms > OPUS_MS_MAX ? 0 : ms;
}

/** Returns the codec inside a packet. A stream may mix codecs, but a sender rarely changes its codec. */
export function packetMode(packet: Uint8Array): 'silk' | 'hybrid' | 'celt' {
  const config = (packet[0] ?? 0) >> 3;
  return config < FIRST_HYBRID ? 'silk' : config < FIRST_CELT ? 'hybrid' : 'celt';
}

/** Whether a packet also holds a coarse copy of the previous packet (RFC 6716, 4.2.4). */
export function holdsPrevious(packet: Uint8Array): boolean {
  const toc = packet[0] ?? 0;
  const first = packet[1];
  // Packets with frame codes 2 and 3 start with lengths. Voice is never sent in them.
  if (packetMode(packet) === 'celt' || (toc & 3) > 1 || first === undefined) return false;
  const silkFrames = Math.max(1, frameMs(toc >> 3) / 20);
  const isStereo = (toc & 4) !== 0;
  const middle = (first >> (7 - silkFrames)) & 1;
  return middle === 1 || (isStereo && ((first >> (6 - 2 * silkFrames)) & 1) === 1);
}

/** Whether the packet is the standard silence packet. */
export function isSilence(packet: Uint8Array): boolean {
  return packet.length === SILENCE_PACKET.length && SILENCE_PACKET.every((byte, n) => byte === packet[n]);
}

function frameMs(config: number): number {
  if (config < FIRST_HYBRID) return SILK_MS[config & 3] ?? 0;
  return config < FIRST_CELT ? (SILK_MS[config & 1] ?? 0) : (CELT_MS[config & 3] ?? 0);
}
