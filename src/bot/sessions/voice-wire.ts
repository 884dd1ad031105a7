import { type Clock, withDeadline } from '../../base/clock.ts';
import { PcmPieces } from '../../media-api/pcm-pieces.ts';
import { type VoiceFormat, readVoiceFormat } from '../../media-api/voice-format.ts';
import type { SessionListener } from './paid-session.ts';

/** Reads the socket of a voice session: first the audio format, then converted speech in pieces of any length. */
export class VoiceWire implements SessionListener {
  readonly #pieces = new PcmPieces();
  readonly #format = Promise.withResolvers<VoiceFormat>();
  #listener: ((samples: Int16Array) => void) | undefined;

  /** Waits for the audio format. Throws `DeadlineError` or the signal's reason. */
  format(clock: Clock, limitMs: number, signal?: AbortSignal): Promise<VoiceFormat> {
    return withDeadline(clock, limitMs, () => this.#format.promise, signal);
  }

  /** Only the first format counts. Other text messages are ignored. */
  onText(text: string): void {
    const format = readVoiceFormat(text);
    if (format) this.#format.resolve(format);
  }

  onConverted(data: Buffer): void {
    const samples = this.#pieces.push(data);
    if (samples.length > 0) this.#listener?.(samples);
  }

  listen(listener: (samples: Int16Array) => void): void {
    this.#listener = listener;
  }
}
