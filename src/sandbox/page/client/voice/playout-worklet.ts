/**
 * Mixes all speakers. It receives `PlayoutPiece`s and posts the loudness of the mix (root mean square, 0 to 1) ten
 * times a second.
 */
import { RATE_HZ } from './packet-size.ts';
import { rmsOf } from './rms.ts';
import { SpeechBuffer } from './speech-buffer.ts';

/** A speaker's samples at 48 kHz, and the number of silent samples before them. */
export interface PlayoutPiece {
  readonly ssrc: number;
  readonly gap: number;
  readonly samples: Float32Array;
}

const SPEAKERS_MAX = 32;
const REPORT_SAMPLES = RATE_HZ / 10;

class Playout extends AudioWorkletProcessor {
  readonly #speakers = new Map<number, SpeechBuffer>();
  #reportIn = REPORT_SAMPLES;
  #loudest = 0;
  #reported = 0;

  constructor() {
    super();
    this.port.addEventListener('message', ({ data }: MessageEvent<PlayoutPiece | 'clear'>) => {
      if (data === 'clear') this.#speakers.clear();
      else this.#take(data);
    });
    this.port.start();
  }

  process(_inputs: Float32Array[][], outputs: Float32Array[][]): boolean {
    const [first, ...others] = outputs[0] ?? [];
    if (!first) return true;
    for (const speaker of this.#speakers.values()) speaker.pull(first);
    for (const other of others) other.set(first);
    this.#loudest = Math.max(this.#loudest, rmsOf(first));
    this.#reportIn -= first.length;
    if (this.#reportIn <= 0) this.#report();
    return true;
  }

  #take({ ssrc, gap, samples }: PlayoutPiece): void {
    const speaker = this.#speakers.get(ssrc) ?? new SpeechBuffer();
    this.#speakers.delete(ssrc);
    this.#speakers.set(ssrc, speaker);
    if (gap > 0) speaker.push(new Float32Array(gap));
    speaker.push(samples);
    const [oldest] = this.#speakers.keys();
    if (this.#speakers.size > SPEAKERS_MAX && oldest !== undefined) this.#speakers.delete(oldest);
  }

  #report(): void {
    if (this.#loudest !== 0 || this.#reported !== 0) this.port.postMessage(this.#loudest);
    this.#reported = this.#loudest;
    this.#loudest = 0;
    this.#reportIn = REPORT_SAMPLES;
  }
}

registerProcessor('playout', Playout);
