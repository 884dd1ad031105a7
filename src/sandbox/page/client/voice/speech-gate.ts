/** Sound with a lower root mean square than this (about -46 dB of full scale) is background noise. */
const OPEN_RMS = 0.005;
/** The number of packets that are still sent after speech ends (400 ms), so that pauses between words are sent too. */
const HOLD_PACKETS = 20;
/** When speech starts, this many preceding packets (80 ms) are sent too, because words start quietly. */
const BEFORE_PACKETS = 4;

/** Passes packets while the member speaks, the few that precede the speech, and some of the silence after it. */
export class SpeechGate<T> {
  readonly #before: T[] = [];
  #left = 0;

  /** Takes a packet of this loudness (0 to 1) and returns the packets that may now be sent, oldest first. */
  pass(packet: T, rms: number): readonly T[] {
    if (rms >= OPEN_RMS) this.#left = HOLD_PACKETS;
    if (this.#left === 0) {
      this.#before.push(packet);
      if (this.#before.length > BEFORE_PACKETS) this.#before.shift();
      return [];
    }
    this.#left -= 1;
    return [...this.#before.splice(0), packet];
  }

  /** Whether packets are being passed, because the member is speaking or stopped a moment ago. */
  get isOpen(): boolean {
    return this.#left > 0;
  }
}
