import { type OpusDecoderHandle, createDecoder, isOpusError } from 'libopus-wasm';
import { packetMs } from './opus-packet.ts';

/** Opus decodes straight to these, so that no resampler is needed. */
export const OPUS_RATES = [8000, 12_000, 16_000, 24_000, 48_000] as const;
export type OpusRate = (typeof OPUS_RATES)[number];

/** Samples per second that Opus can give, or undefined. */
export function opusRate(sampleRateHz: number): OpusRate | undefined {
  return OPUS_RATES.find((rate) => rate === sampleRateHz);
}

export interface OpusDecoderOptions {
  /** How a decoder of the library is made. */
  readonly create?: (sampleRate: OpusRate) => Promise<OpusDecoderHandle>;
}

const PACKET_BYTES_MAX = 4000;
/** Whoever makes the library break off more often is not decoded any more. */
const TRAPS_MAX = 10;

/**
 * Decodes Opus to mono numbers of -1 to 1, and a little beyond where speech was loud. Its memory is outside of
 * JavaScript: whoever made it disposes it. Beside the decoder in use another one stands ready, so that a stream can
 * begin anew, and one that broke off inside the library can be replaced, without waiting.
 */
export class OpusDecoder implements Disposable {
  readonly sampleRateHz: OpusRate;
  readonly #create: () => Promise<OpusDecoderHandle>;
  #current: OpusDecoderHandle | undefined;
  #spare: OpusDecoderHandle | undefined;
  #disposed = false;
  #traps = 0;

  private constructor(sampleRateHz: OpusRate, create: () => Promise<OpusDecoderHandle>) {
    this.sampleRateHz = sampleRateHz;
    this.#create = create;
  }

  static async open(sampleRateHz: OpusRate, options: OpusDecoderOptions = {}): Promise<OpusDecoder> {
    const create = options.create ?? createMono;
    const decoder = new OpusDecoder(sampleRateHz, () => create(sampleRateHz));
    decoder.#current = await decoder.#create();
    await decoder.#refill();
    return decoder;
  }

  /** How often the library broke off in the middle of a packet. */
  get traps(): number {
    return this.#traps;
  }

  /** The sound of a packet of 2.5 to 120 ms; undefined for what is no Opus. */
  decode(packet: Uint8Array): Float32Array | undefined {
    if (packet.length > PACKET_BYTES_MAX || packetMs(packet) === 0) return undefined;
    return this.#attempt((decoder) => decoder.decodeFloat(packet));
  }

  /** What might have been in a lost packet of `frames` samples, after what was heard before it. */
  conceal(frames: number): Float32Array | undefined {
    return this.#attempt((decoder) => decoder.decodePacketLossFloat(frames));
  }

  /** A lost packet of `frames` samples, from the copy in the packet after it if there is one, else concealed. */
  recover(next: Uint8Array, frames: number): Float32Array | undefined {
    if (next.length > PACKET_BYTES_MAX || packetMs(next) === 0) return this.conceal(frames);
    return this.#attempt((decoder) => decoder.decodeFloat(next, { decodeFec: true, frameSize: frames }));
  }

  /** Forgets what was heard: another stream follows. */
  reset(): void {
    release(this.#current);
    this.#current = this.#spare;
    this.#spare = undefined;
    void this.#refill();
  }

  [Symbol.dispose](): void {
    this.#disposed = true;
    release(this.#current);
    release(this.#spare);
    this.#current = undefined;
    this.#spare = undefined;
  }

  #attempt(work: (decoder: OpusDecoderHandle) => Float32Array): Float32Array | undefined {
    if (!this.#current) return undefined;
    try {
      return work(this.#current);
    } catch (error) {
      if (isOpusError(error)) return undefined;
      this.#traps++;
      this.reset();
      return undefined;
    }
  }

  async #refill(): Promise<void> {
    if (this.#traps > TRAPS_MAX) return;
    const made = await this.#create().catch(() => undefined);
    if (this.#disposed) return release(made);
    if (!this.#current) this.#current = made;
    else if (!this.#spare) this.#spare = made;
    else release(made);
    if (made && !this.#spare) await this.#refill();
  }
}

async function createMono(sampleRate: OpusRate): Promise<OpusDecoderHandle> {
  return await createDecoder({ channels: 1, sampleRate });
}

/** Gives back its memory; one that broke off may break off again here. */
function release(decoder: OpusDecoderHandle | undefined): void {
  try {
    decoder?.free();
  } catch {
    // It is replaced: what cannot be given back is lost.
  }
}
