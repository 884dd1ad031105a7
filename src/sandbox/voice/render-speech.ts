import { createDecoder, type OpusDecoderHandle } from 'libopus-wasm';
import type { LoggedPacket } from './packet-log.ts';
import { FRAME_SAMPLES } from './speech.ts';

export const RENDER_RATE_HZ = 48_000;
const SAMPLES_PER_MS = RENDER_RATE_HZ / 1000;
/** A packet that is more than this late does not continue the previous one, as in a listener's jitter buffer. */
const JITTER_SAMPLES = 120 * SAMPLES_PER_MS;
/** The largest number of lost packets in a row that are concealed. The rest are left silent. */
const CONCEALED_FRAMES_MAX = 5;
/** A timestamp jump of more than this indicates another stream rather than a pause. */
const PAUSE_SAMPLES_MAX = 60 * RENDER_RATE_HZ;
const RENDERED_SAMPLES_MAX = 20 * 60 * RENDER_RATE_HZ;

/** Decoded sound. */
export interface RenderedSpeech {
  /** 48 kHz mono. */
  readonly samples: Int16Array;
  /** When the first sample was heard, in the wire clock's monotonic time. */
  readonly startMs: number;
  /** The number of packets that were not Opus or could not be decrypted. */
  readonly undecodable: number;
}

/**
 * Decodes one speaker's packets to the sound that a listener hears: in sequence, with lost packets concealed, and with
 * pauses as long as the timestamps indicate. Packets that are too late for a 120 ms jitter buffer are heard when they
 * arrive. `startMs` sets the start of the sound, so that several speakers can have the same start.
 */
export async function renderSpeech(
  packets: readonly LoggedPacket[],
  startMs: number = packets[0]?.atMs ?? 0,
): Promise<RenderedSpeech> {
  using decoder = await createDecoder({ channels: 1, sampleRate: RENDER_RATE_HZ });
  const rendering = new Rendering(decoder, startMs);
  for (const packet of inOrder(packets)) rendering.take(packet);
  return { samples: rendering.join(), startMs, undecodable: rendering.undecodable };
}

/** The conversion from packets to samples. */
class Rendering {
  undecodable = 0;
  readonly #decoder: OpusDecoderHandle;
  readonly #startMs: number;
  readonly #pieces: { readonly at: number; readonly samples: Int16Array }[] = [];
  #before: LoggedPacket | undefined;
  /** The end of the sound so far, in samples since the start. */
  #end = 0;
  #lastLength = FRAME_SAMPLES;

  constructor(decoder: OpusDecoderHandle, startMs: number) {
    this.#decoder = decoder;
    this.#startMs = startMs;
  }

  take(packet: LoggedPacket): void {
    const arrived = Math.round((packet.atMs - this.#startMs) * SAMPLES_PER_MS);
    if (this.#before?.ssrc === packet.ssrc) this.#bridge(this.#before, packet);
    if (!this.#before || arrived - this.#end > JITTER_SAMPLES) this.#end = arrived;
    const samples = decode(this.#decoder, packet.opus);
    if (!samples) this.undecodable++;
    this.#add(samples ?? new Int16Array(FRAME_SAMPLES));
    this.#lastLength = samples?.length ?? FRAME_SAMPLES;
    this.#before = packet;
  }

  join(): Int16Array {
    const length = this.#pieces.reduce((end, { at, samples }) => Math.max(end, at + samples.length), 0);
    const joined = new Int16Array(Math.min(length, RENDERED_SAMPLES_MAX));
    for (const { at, samples } of this.#pieces) {
      if (at < joined.length) joined.set(samples.subarray(0, joined.length - at), at);
    }
    return joined;
  }

  /** Fills the gap between two packets of a stream: conceals the lost packets, and then adds silence. */
  #bridge(before: LoggedPacket, packet: LoggedPacket): void {
    const step = (packet.timestamp - before.timestamp) >>> 0;
    const missing = step <= PAUSE_SAMPLES_MAX ? Math.max(0, step - this.#lastLength) : 0;
    const end = this.#end + missing;
    const lost = Math.min(((packet.sequence - before.sequence) & 0xffff) - 1, CONCEALED_FRAMES_MAX);
    for (let index = 0; index < lost && this.#end + FRAME_SAMPLES <= end; index++) {
      this.#add(this.#decoder.decodePacketLoss(FRAME_SAMPLES));
    }
    this.#end = end;
  }

  #add(samples: Int16Array): void {
    if (this.#end >= 0) this.#pieces.push({ at: this.#end, samples });
    this.#end += samples.length;
  }
}

/** Mixes several speakers' sound and clips it to 16 bits. */
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

/** Returns the packets without duplicates, with late packets in their correct places. */
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

function decode(decoder: OpusDecoderHandle, opus: Uint8Array | null): Int16Array | undefined {
  if (!opus) return undefined;
  try {
    return decoder.decode(opus);
  } catch {
    return undefined;
  }
}
