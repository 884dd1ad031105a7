/** Quieter than this is a room, not a voice: about -46 dB of full scale. */
const OPEN_RMS = 0.005;
/** Pauses between words are said too. */
const HOLD_PACKETS = 20;
/** A word begins quietly. */
const BEFORE_PACKETS = 4;

/** Lets packets pass while somebody speaks, with what was just before and a little of the silence after. */
export class SpeechGate<T> {
  readonly #before: T[] = [];
  #left = 0;

  /** What may be sent now that a packet of this loudness (0-1) came, oldest first. */
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

  /** Whether somebody speaks. */
  get isOpen(): boolean {
    return this.#left > 0;
  }
}
