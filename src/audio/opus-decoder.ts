import { type OpusDecoderHandle, createDecoder, isOpusError } from 'libopus-wasm';
import { packetMs } from './opus-packet.ts';

/** The sample rates to which Opus decodes directly, so that no resampler is needed. */
export const OPUS_RATES = [8000, 12_000, 16_000, 24_000, 48_000] as const;
export type OpusRate = (typeof OPUS_RATES)[number];

/** Returns the rate if Opus can decode to it, or undefined. */
export function opusRate(sampleRateHz: number): OpusRate | undefined {
  return OPUS_RATES.find((rate) => rate === sampleRateHz);
}

export interface OpusDecoderOptions {
  /** Creates one of the library's decoders. Tests may pass their own function. */
  readonly create?: (sampleRate: OpusRate) => Promise<OpusDecoderHandle>;
}

const PACKET_BYTES_MAX = 4000;
/** The maximum number of crashes that a stream may cause. A stream that causes more is no longer decoded. */
const TRAPS_MAX = 10;

/**
 * Decodes Opus to mono samples of -1 to 1, and slightly beyond if the speech was loud. Its memory is outside
 * JavaScript, so its creator must dispose it. A spare decoder is always ready, so a new stream starts without waiting,
 * and a decoder that has crashed is replaced without waiting.
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

  /** The number of times that the library crashed while decoding a packet. */
  get traps(): number {
    return this.#traps;
  }

  /** Returns the sound of a packet of 2.5 to 120 ms, or undefined if the packet is not Opus. */
  decode(packet: Uint8Array): Float32Array | undefined {
    if (packet.length > PACKET_BYTES_MAX || packetMs(packet) === 0) return undefined;
    return this.#attempt((decoder) => decoder.decodeFloat(packet));
  }

  /** Returns a plausible sound for a lost packet of `frames` samples, extrapolated from the preceding sound. */
  conceal(frames: number): Float32Array | undefined {
    return this.#attempt((decoder) => decoder.decodePacketLossFloat(frames));
  }

  /**
   * Returns the sound of a lost packet of `frames` samples. It is decoded from the copy in the next packet, if that
   * packet has one.
   */
  recover(next: Uint8Array, frames: number): Float32Array | undefined {
    if (next.length > PACKET_BYTES_MAX || packetMs(next) === 0) return this.conceal(frames);
    return this.#attempt((decoder) => decoder.decodeFloat(next, { decodeFec: true, frameSize: frames }));
  }

  /** Prepares for another stream. */
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

/** Frees the memory of a decoder. A decoder that has crashed may crash again here. */
function release(decoder: OpusDecoderHandle | undefined): void {
  try {
    decoder?.free();
  } catch {
    // The decoder is replaced anyway. Memory that cannot be freed is lost.
  }
}
