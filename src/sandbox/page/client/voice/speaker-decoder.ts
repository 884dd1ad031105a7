import { DECODER } from './audio-support.ts';
import type { Heard } from './frames.ts';
import { PacketOrder } from './packet-order.ts';

/** While this many packets are waiting for the decoder, new packets are dropped. */
const WAITING_MAX = 20;
const PACKET_MICROSECONDS = 20_000;

/** Decodes one speaker's packets. A packet that cannot be decoded does not affect the others. */
export class SpeakerDecoder implements Disposable {
  readonly #order = new PacketOrder();
  readonly #decoded: (gap: number, samples: Float32Array<ArrayBuffer>) => void;
  /** The gap before each packet that is waiting for the decoder, in samples, oldest first. */
  #gaps: number[] = [];
  #decoder: AudioDecoder | undefined;
  #count = 0;

  /** `decoded` receives mono samples at 48 kHz, and the number of silent samples before them. */
  constructor(decoded: (gap: number, samples: Float32Array<ArrayBuffer>) => void) {
    this.#decoded = decoded;
  }

  take(packet: Heard): void {
    const gap = this.#order.accept(packet);
    const decoder = this.#open();
    if (gap === undefined || decoder.decodeQueueSize >= WAITING_MAX) return;
    this.#gaps.push(gap);
    const timestamp = this.#count * PACKET_MICROSECONDS;
    this.#count += 1;
    decoder.decode(new EncodedAudioChunk({ type: 'key', timestamp, data: packet.opus }));
  }

  [Symbol.dispose](): void {
    if (this.#decoder?.state === 'configured') this.#decoder.close();
    this.#decoder = undefined;
  }

  #open(): AudioDecoder {
    if (this.#decoder?.state === 'configured') return this.#decoder;
    this.#gaps = [];
    // An error closes the decoder. A new decoder is then opened for the next packet.
    this.#decoder = new AudioDecoder({ output: (data) => this.#output(data), error: () => undefined });
    this.#decoder.configure(DECODER);
    return this.#decoder;
  }

  #output(data: AudioData): void {
    const samples = monoOf(data);
    data.close();
    this.#decoded(this.#gaps.shift() ?? 0, samples);
  }
}

function monoOf(data: AudioData): Float32Array<ArrayBuffer> {
  const channels = Array.from({ length: data.numberOfChannels }, (_, planeIndex) => {
    const plane = new Float32Array(data.numberOfFrames);
    data.copyTo(plane, { planeIndex, format: 'f32-planar' });
    return plane;
  });
  const [left = new Float32Array(0), right] = channels;
  return right ? left.map((sample, index) => (sample + (right[index] ?? 0)) / 2) : left;
}
