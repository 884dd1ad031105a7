import { OpusDecoder, type OpusDecoderOptions, type OpusRate } from './opus-decoder.ts';
import { holdsPrevious, isSilence, packetMs } from './opus-packet.ts';
import { SoundGuard } from './sound-guard.ts';

/** What is missing is made up at full loudness for this long, then ever quieter, then it is silence. */
const FULL_MS = 20;
const FADED_MS = 80;
const RETURN_SECONDS = 0.005;
const PACKET_MS_USUAL = 20;
/** An encoder changes its configuration now and then; one that does so oftener in ten packets is none. */
const CHANGES_MAX = 3;
const CHANGE_FORGOTTEN = 0.1;

/** What was made of a stream's packets so far. */
export interface DecodingCounts {
  /** Lost packets that were taken from the copy in the next one. */
  readonly recovered: number;
  /** Lost packets that were made up, or left silent where too many followed each other. */
  readonly concealed: number;
  /** Packets that were no Opus, or broke off inside the library. */
  readonly faults: number;
  /** Pieces that were made quieter because nobody can have meant them to be that loud. */
  readonly bounded: number;
}

/**
 * Makes sound without holes of one member's packets, as long as what was sent: lost packets are recovered or made
 * up, and fade away when many follow each other. Whoever made it disposes it.
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

  /** The sound of the next packet, or of one lost packet if it cannot be decoded. */
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

  /** The sound of one lost packet; `next` is the one that came after it, if it has come. */
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

  /** Another stream follows: nothing of this one's sound holds for it. */
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

  /** Packets that each look as if another encoder had made them were made by none. */
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

  /** Moves the gain to `gain` within the first `frames` samples. */
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
