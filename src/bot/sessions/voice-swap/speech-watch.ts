import { SpeechDecoder } from '../../../audio/speech-decoder.ts';
import type { SpeechDetector } from '../../../audio/speech-detector.ts';
import type { OrderedPacket } from './packet-order.ts';

const RATE_HZ = 16_000;

/** Only detects whether a member is speaking. */
export class SpeechWatch implements Disposable {
  readonly #detector: SpeechDetector;
  #decoder: SpeechDecoder | undefined;
  #isDisposed = false;

  constructor(detector: SpeechDetector) {
    this.#detector = detector;
    void this.#open();
  }

  /** Processes the next packet, and returns whether the member is speaking. */
  hear(packet: OrderedPacket): boolean {
    if (packet.kind === 'restart') this.#decoder?.reset();
    if (packet.kind !== 'packet' || !this.#decoder) return false;
    return this.#detector.hear(this.#decoder.decode(packet.packet.opus), RATE_HZ);
  }

  [Symbol.dispose](): void {
    this.#isDisposed = true;
    this.#decoder?.[Symbol.dispose]();
    this.#decoder = undefined;
  }

  async #open(): Promise<void> {
    // Without a decoder, no speech is ever detected. Lines use the same library, so they would fail, too.
    const decoder = await SpeechDecoder.open(RATE_HZ).catch(() => undefined);
    if (this.#isDisposed) decoder?.[Symbol.dispose]();
    else this.#decoder = decoder;
  }
}
