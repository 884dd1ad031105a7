/** Cuts the microphone's sound into pieces of 20 ms and posts each as a `Float32Array`. */
import { PACKET_SAMPLES } from './packet-size.ts';

class Capture extends AudioWorkletProcessor {
  #piece = new Float32Array(PACKET_SAMPLES);
  #filled = 0;

  process(inputs: Float32Array[][]): boolean {
    let rest = inputs[0]?.[0] ?? new Float32Array(0);
    while (rest.length > 0) {
      const part = rest.subarray(0, PACKET_SAMPLES - this.#filled);
      this.#piece.set(part, this.#filled);
      this.#filled += part.length;
      rest = rest.subarray(part.length);
      if (this.#filled === PACKET_SAMPLES) this.#post();
    }
    return true;
  }

  #post(): void {
    this.port.postMessage(this.#piece, [this.#piece.buffer]);
    this.#piece = new Float32Array(PACKET_SAMPLES);
    this.#filled = 0;
  }
}

registerProcessor('capture', Capture);
