import { createDecoder, type OpusDecoderHandle } from 'libopus-wasm';
import type { LoggedPacket } from './packet-log.ts';
import { FRAME_SAMPLES } from './speech.ts';

export const RENDER_RATE_HZ = 48_000;
const SAMPLES_PER_MS = RENDER_RATE_HZ / 1000;
/** How late a packet may come and still join on to the one before, as with a listener's jitter buffer. */
const JITTER_SAMPLES = 200 * SAMPLES_PER_MS;
/** Longer losses are left silent. */
const CONCEALED_FRAMES_MAX = 5;
const RENDERED_SAMPLES_MAX = 20 * 60 * RENDER_RATE_HZ;

/** Decoded sound. */
export interface RenderedSpeech {
  /** 48 kHz mono. */
  readonly samples: Int16Array;
  /** When the first sample was heard, on the wire clock's monotonic time. */
  readonly startMs: number;
  /** Packets that were no Opus or could not be decrypted. */
  readonly undecodable: number;
}

interface Piece {
  /** Samples since `startMs`. */
  readonly at: number;
  readonly samples: Int16Array;
}

/**
 * Decodes what one speaker sent as a listener hears it: in order of sequence, lost packets concealed, and where the
 * speaker paused the gap is silence. `startMs` moves the beginning, so that several speakers can share one.
 */
export async function renderSpeech(
  packets: readonly LoggedPacket[],
  startMs: number = packets[0]?.atMs ?? 0,
): Promise<RenderedSpeech> {
  using decoder = await createDecoder({ channels: 1, sampleRate: RENDER_RATE_HZ });
  const pieces: Piece[] = [];
  let undecodable = 0;
  let before: LoggedPacket | undefined;
  let end = 0;
  for (const packet of inOrder(packets)) {
    const arrived = Math.round((packet.atMs - startMs) * SAMPLES_PER_MS);
    const lost = before ? lostBetween(before, packet) : 0;
    if (before && arrived - end > JITTER_SAMPLES) end = arrived;
    else if (!before) end = arrived;
    else if (lost <= CONCEALED_FRAMES_MAX) {
      for (let index = 0; index < lost; index++)
        end = add(pieces, end, decoder.decodePacketLoss(FRAME_SAMPLES));
    } else end = Math.max(end, arrived);
    const samples = decode(decoder, packet.opus);
    if (!samples) undecodable++;
    end = add(pieces, end, samples ?? new Int16Array(FRAME_SAMPLES));
    before = packet;
  }
  return { samples: join(pieces), startMs, undecodable };
}

/** Adds several speakers up, clipped to 16 bits. */
export function mixSpeech(rendered: readonly RenderedSpeech[]): Int16Array {
  const mix = new Int16Array(Math.max(0, ...rendered.map(({ samples }) => samples.length)));
  for (const { samples } of rendered) {
    for (let index = 0; index < samples.length; index++) {
      const sum = (mix[index] ?? 0) + (samples[index] ?? 0);
      mix[index] = Math.max(-32_768, Math.min(32_767, sum));
    }
  }
  return mix;
}

/** Without repeats, and with late packets where they belong. */
function inOrder(packets: readonly LoggedPacket[]): readonly LoggedPacket[] {
  const ordered: LoggedPacket[] = [];
  for (const packet of packets) {
    let index = ordered.length;
    while (index > 0 && isBefore(packet, ordered[index - 1])) index--;
    const previous = ordered[index - 1];
    const isRepeat = previous?.sequence === packet.sequence && previous.ssrc === packet.ssrc;
    if (!isRepeat) ordered.splice(index, 0, packet);
  }
  return ordered;
}

function isBefore(packet: LoggedPacket, other: LoggedPacket | undefined): boolean {
  if (other?.ssrc !== packet.ssrc) return false;
  return ((packet.sequence - other.sequence) & 0xffff) > 0x8000;
}

function lostBetween(before: LoggedPacket, packet: LoggedPacket): number {
  return before.ssrc === packet.ssrc ? ((packet.sequence - before.sequence) & 0xffff) - 1 : 0;
}

function decode(decoder: OpusDecoderHandle, opus: Uint8Array | null): Int16Array | undefined {
  if (!opus) return undefined;
  try {
    return decoder.decode(opus);
  } catch {
    return undefined;
  }
}

function add(pieces: Piece[], at: number, samples: Int16Array): number {
  if (at >= 0) pieces.push({ at, samples });
  return at + samples.length;
}

function join(pieces: readonly Piece[]): Int16Array {
  const length = pieces.reduce((end, { at, samples }) => Math.max(end, at + samples.length), 0);
  const joined = new Int16Array(Math.min(length, RENDERED_SAMPLES_MAX));
  for (const { at, samples } of pieces) {
    if (at < joined.length) joined.set(samples.subarray(0, joined.length - at), at);
  }
  return joined;
}
