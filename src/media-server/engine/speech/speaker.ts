import type { MouthTrack } from '../animate/mouth-shape.ts';
import { RenderError } from '../render-error.ts';
import { Flite, FLITE_SAMPLE_RATE_HZ, type Utterance } from './flite.ts';
import { normaliseLoudness } from './loudness.ts';
import { PAUSE, type Phone } from './phone.ts';
import { splitScript } from './script.ts';
import { mouthFromPhones } from './visemes.ts';

export interface SpeakOptions {
  /** One of the voices list. Absent: the default one. */
  readonly voiceId?: string | undefined;
}

/** A script as it is said. */
export interface Speech {
  /** Mono, -1 to 1, at the usual loudness. */
  readonly samples: Float32Array;
  readonly sampleRateHz: number;
  /** What the mouth does meanwhile. */
  readonly mouth: MouthTrack;
  /** From the first sample to the last, without gaps. */
  readonly phones: readonly Phone[];
}

/** What a speaker speaks, as BCP 47 primary subtags. */
export const SPOKEN_LANGUAGES: readonly string[] = ['en'];

const LEAD_SECONDS = 0.25;
/** Flite's own silence around a sentence differs by voice and is replaced, except for this much. */
const MARGIN_SECONDS = 0.03;
/** A script within 5,000 characters takes some 6 minutes; one of digits alone could take an hour. */
const SPEECH_SECONDS_MAX = 900;

/** Says scripts with the listed voices. Equal requests give equal speech. */
export class Speaker {
  readonly #flite: Flite;

  private constructor(flite: Flite) {
    this.#flite = flite;
  }

  /** Throws an error that names the optional package when it is missing. */
  static async load(): Promise<Speaker> {
    return new Speaker(await Flite.load());
  }

  /**
   * Says `script`, sentence by sentence. Throws `RenderError` when it holds nothing that can be said or takes more
   * than 15 minutes, and the signal's reason when aborted.
   */
  async speak(script: string, _options: SpeakOptions, signal: AbortSignal): Promise<Speech> {
    const pieces = splitScript(script);
    if (pieces.length === 0)
      throw new RenderError('processing_failed', 'Cannot speak the script: it has no words in Latin letters');
    const parts = new SpeechParts();
    parts.addPause(LEAD_SECONDS);
    for (const { text, pauseSeconds } of pieces) {
      // Lets messages to the worker in, among them the one that aborts.
      await new Promise(setImmediate);
      signal.throwIfAborted();
      parts.add(withoutMargins(this.#flite.say('slt', text)));
      parts.addPause(pauseSeconds);
      if (parts.seconds > SPEECH_SECONDS_MAX)
        throw new RenderError(
          'input_too_large',
          `Cannot speak the script: it takes longer than ${SPEECH_SECONDS_MAX / 60} minutes`,
        );
    }
    const samples = parts.samples();
    normaliseLoudness(samples, FLITE_SAMPLE_RATE_HZ);
    return {
      samples,
      sampleRateHz: FLITE_SAMPLE_RATE_HZ,
      mouth: mouthFromPhones(parts.phones),
      phones: parts.phones,
    };
  }
}

/** Speech so far, with all times from its beginning. */
class SpeechParts {
  readonly phones: Phone[] = [];
  readonly #parts: Float32Array[] = [];
  #length = 0;

  get seconds(): number {
    return this.#length / FLITE_SAMPLE_RATE_HZ;
  }

  add({ samples, phones }: Utterance): void {
    const from = this.seconds;
    for (const { name, start, end } of phones)
      this.phones.push({ name, start: from + start, end: from + end });
    this.#append(samples);
  }

  addPause(seconds: number): void {
    const start = this.seconds;
    this.#append(new Float32Array(Math.round(seconds * FLITE_SAMPLE_RATE_HZ)));
    this.phones.push({ name: PAUSE, start, end: this.seconds });
  }

  samples(): Float32Array {
    const all = new Float32Array(this.#length);
    let at = 0;
    for (const part of this.#parts) {
      all.set(part, at);
      at += part.length;
    }
    return all;
  }

  #append(samples: Float32Array): void {
    this.#parts.push(samples);
    this.#length += samples.length;
  }
}

function withoutMargins({ samples, phones }: Utterance): Utterance {
  const first = phones.find(({ name }) => name !== PAUSE);
  const last = phones.findLast(({ name }) => name !== PAUSE);
  if (!first || !last) return { samples: new Float32Array(0), phones: [] };
  const from = Math.max(0, Math.round((first.start - MARGIN_SECONDS) * FLITE_SAMPLE_RATE_HZ));
  const to = Math.min(samples.length, Math.round((last.end + MARGIN_SECONDS) * FLITE_SAMPLE_RATE_HZ));
  const shift = from / FLITE_SAMPLE_RATE_HZ;
  const length = (to - from) / FLITE_SAMPLE_RATE_HZ;
  return {
    samples: samples.subarray(from, to),
    phones: phones
      .map(({ name, start, end }) => ({
        name,
        start: Math.max(0, start - shift),
        end: Math.min(length, end - shift),
      }))
      .filter(({ start, end }) => end > start),
  };
}
