import { OpusDecoder, type OpusDecoderOptions, type OpusRate } from './opus-decoder.ts';
import { holdsPrevious, isSilence, packetMs } from './opus-packet.ts';
import { SoundGuard } from './sound-guard.ts';

/** Missing sound is concealed at full loudness for `FULL_MS`, and then fades out until `FADED_MS`. */
const FULL_MS = 20;
const FADED_MS = 80;
const RETURN_SECONDS = 0.005;
const PACKET_MS_USUAL = 20;
/** A real encoder occasionally changes its configuration, but no more than this many times in ten packets. */
const CHANGES_MAX = 3;
const CHANGE_FORGOTTEN = 0.1;

/** Counts of how the packets of a stream were handled. */
export interface DecodingCounts {
  /** Lost packets that were recovered from the copy in the next packet. */
  readonly recovered: number;
  /** Lost packets that were concealed, or left silent if too many were lost in a row. */
  readonly concealed: number;
  /** Packets that were not Opus, or that crashed the library. */
  readonly faults: number;
  /** Pieces that were made quieter because real sound cannot be that loud. */
  readonly bounded: number;
}

/**
 * Decodes one member's packets to sound without gaps that is exactly as long as the sound that was sent. Lost packets
 * are recovered or concealed, and fade out if many are lost in a row. Its creator must dispose it.
 */
export class SpeechDecoder implements Disposable {
  readonly sampleRateHz: OpusRate;
  readonly #decoder: OpusDecoder;
  readonly #guard: SoundGuard;
  readonly #counts = { recovered: 0, concealed: 0, faults: 0 };
  #packetMs = PACKET_MS_USUAL;
  #config: number | undefined;
  #changes = 0;
  #missingMs = 0;
  #gain = 1;

  private constructor(decoder: OpusDecoder) {
    this.#decoder = decoder;
    this.sampleRateHz = decoder.sampleRateHz;
    this.#guard = new SoundGuard(decoder.sampleRateHz);
  }

  static async open(sampleRateHz: OpusRate, options: OpusDecoderOptions = {}): Promise<SpeechDecoder> {
    return new SpeechDecoder(await OpusDecoder.open(sampleRateHz, options));
  }

  get counts(): DecodingCounts {
    return { ...this.#counts, bounded: this.#guard.bounded };
  }

  /** Returns the sound of the next packet. If it cannot be decoded, it counts as lost. */
  decode(packet: Uint8Array): Float32Array {
    const sound = this.#decoder.decode(packet);
    if (!sound) {
      this.#counts.faults++;
      this.#guard.distrust();
      return this.lost();
    }
    this.#packetMs = packetMs(packet);
    this.#missingMs = 0;
    this.#watch(packet);
    this.#guard.process(sound);
    this.#fadeTo(sound, 1, Math.round(RETURN_SECONDS * this.sampleRateHz));
    return sound;
  }

  /** Returns the sound that replaces one lost packet. `next` is the packet after it, if that has arrived. */
  lost(next?: Uint8Array): Float32Array {
    const frames = (this.sampleRateHz * this.#packetMs) / 1000;
    this.#missingMs += this.#packetMs;
    this.#guard.missed();
    const isCopied = next !== undefined && holdsPrevious(next);
    if (isCopied) this.#counts.recovered++;
    else this.#counts.concealed++;
    const isGone = !isCopied && this.#gain === 0;
    const sound = isGone ? undefined : this.#replace(next, frames);
    if (!sound) return new Float32Array(frames);
    this.#guard.process(sound);
    const quieter = Math.min(1, Math.max(0, (FADED_MS - this.#missingMs) / (FADED_MS - FULL_MS)));
    this.#fadeTo(sound, isCopied ? 1 : quieter, sound.length);
    return sound;
  }

  /** Prepares for another stream that is unrelated to this one. */
  reset(): void {
    this.#decoder.reset();
    this.#guard.missed();
    this.#config = undefined;
    this.#missingMs = 0;
    this.#gain = 1;
  }

  [Symbol.dispose](): void {
    this.#decoder[Symbol.dispose]();
  }

  /** Records the configuration of a packet. If it changes too often, the packets do not come from a real encoder. */
  #watch(packet: Uint8Array): void {
    if (isSilence(packet)) return;
    const config = (packet[0] ?? 0) >> 3;
    const isChanged = this.#config !== undefined && config !== this.#config;
    this.#config = config;
    this.#changes = isChanged ? this.#changes + 1 : Math.max(0, this.#changes - CHANGE_FORGOTTEN);
    if (this.#changes <= CHANGES_MAX) return;
    this.#changes = CHANGES_MAX;
    this.#guard.distrust();
  }

  #replace(next: Uint8Array | undefined, frames: number): Float32Array | undefined {
    return next ? this.#decoder.recover(next, frames) : this.#decoder.conceal(frames);
  }

  /** Fades the sound to `gain` within its first `frames` samples. */
  #fadeTo(sound: Float32Array, gain: number, frames: number): void {
    const from = this.#gain;
    this.#gain = gain;
    if (from === 1 && gain === 1) return;
    for (let n = 0; n < sound.length; n++) {
      const share = Math.min(1, (n + 1) / frames);
      sound[n] = (sound[n] ?? 0) * (from + (gain - from) * share);
    }
  }
}
