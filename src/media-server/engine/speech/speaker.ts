import type { MouthTrack } from '../animate/mouth-shape.ts';
import { RenderError } from '../render-error.ts';
import type { VoiceProfile } from '../voice/voice-profile.ts';
import { DEFAULT_VOICE_ID, voiceById } from '../voice/voices.ts';
import { Flite, FLITE_SAMPLE_RATE_HZ, type Utterance } from './flite.ts';
import { normaliseLoudness } from './normalise-loudness.ts';
import { PAUSE, type Phone } from './phone.ts';
import { splitScript } from './split-script.ts';
import { SPEECH_SAMPLE_RATE_HZ, SpokenSound } from './spoken-sound.ts';
import { mouthFromPhones } from './mouth-from-phones.ts';

interface SpeakOptions {
  /** One of the listed voices, or undefined for the default voice. */
  readonly voiceId?: string | undefined;
  /** One of `SPOKEN_LANGUAGES`, or undefined for the language of the voice. */
  readonly language?: string | undefined;
  /** Called after each sentence. */
  readonly progress?: (() => void) | undefined;
}

/** A spoken script. */
export interface Speech {
  /** Mono samples, -1 to 1, at the usual loudness. */
  readonly samples: Float32Array;
  readonly sampleRateHz: number;
  /** The movement of the mouth. */
  readonly mouth: MouthTrack;
  /** The phones, which cover all samples without gaps. */
  readonly phones: readonly Phone[];
}

/** The spoken languages, as BCP 47 primary subtags. */
export const SPOKEN_LANGUAGES: readonly string[] = ['en'];

const LEAD_SECONDS = 0.25;
/** Flite's silence around a sentence differs by voice, so all of it except this margin is replaced. */
const MARGIN_SECONDS = 0.03;
/** Speaking a script of 5,000 characters takes about 6 minutes, but one that consists of digits could take an hour. */
const SPEECH_SECONDS_MAX = 900;

/** Speaks scripts with the listed voices. Equal requests give equal speech. */
export class Speaker {
  readonly #flite: Flite;
  readonly #secondsMax: number;

  private constructor(flite: Flite, secondsMax: number) {
    this.#flite = flite;
    this.#secondsMax = secondsMax;
  }

  /**
   * Loads the synthesiser. `secondsMax` limits the length of speech, default 900 s. Throws an error that
   * names the optional package if it is missing.
   */
  static async load({ secondsMax = SPEECH_SECONDS_MAX }: { secondsMax?: number } = {}): Promise<Speaker> {
    return new Speaker(await Flite.load(), secondsMax);
  }

  /**
   * Speaks `script`, sentence by sentence. Throws `RenderError` if nothing in it can be spoken or the speech would be
   * longer than the limit, `RangeError` for an unknown voice or language, and the signal's reason when aborted.
   */
  async speak(script: string, options: SpeakOptions, signal: AbortSignal): Promise<Speech> {
    const voice = listedVoice(options);
    const pieces = splitScript(script);
    if (pieces.length === 0)
      throw new RenderError('processing_failed', 'Cannot speak the script: it has no words in Latin letters');
    const parts = new SpeechParts(voice);
    parts.addPause(LEAD_SECONDS);
    for (const { text, pauseSeconds } of pieces) {
      // Allows the worker to receive messages, including the one that aborts.
      await new Promise(setImmediate);
      signal.throwIfAborted();
      parts.add(withoutMargins(this.#flite.say(voice.speaker, text)));
      parts.addPause(pauseSeconds);
      options.progress?.();
      if (parts.seconds > this.#secondsMax)
        throw new RenderError(
          'input_too_large',
          `Cannot speak the script: it takes longer than ${this.#secondsMax} seconds`,
        );
    }
    const samples = parts.sound.finish();
    normaliseLoudness(samples, SPEECH_SAMPLE_RATE_HZ);
    return {
      samples,
      sampleRateHz: SPEECH_SAMPLE_RATE_HZ,
      mouth: mouthFromPhones(parts.phones),
      phones: parts.phones,
    };
  }
}

function listedVoice({ voiceId, language }: SpeakOptions): VoiceProfile {
  const voice = voiceById(voiceId ?? DEFAULT_VOICE_ID);
  if (!voice)
    throw new RangeError(`Cannot speak with the voice ${JSON.stringify(voiceId)}: it is not listed`);
  if (language !== undefined && !SPOKEN_LANGUAGES.includes(language))
    throw new RangeError(`Cannot speak the language ${JSON.stringify(language)}: no voice does`);
  return voice;
}

/** The speech so far, with all times relative to its beginning. */
class SpeechParts {
  readonly phones: Phone[] = [];
  readonly sound: SpokenSound;

  constructor(voice: VoiceProfile) {
    this.sound = new SpokenSound(voice);
  }

  get seconds(): number {
    return this.sound.seconds;
  }

  add({ samples, phones }: Utterance): void {
    const from = this.seconds;
    for (const { name, start, end } of phones)
      this.phones.push({ name, start: from + start, end: from + end });
    this.sound.add(samples);
  }

  addPause(seconds: number): void {
    const start = this.seconds;
    this.sound.add(new Float32Array(Math.round(seconds * FLITE_SAMPLE_RATE_HZ)));
    this.phones.push({ name: PAUSE, start, end: this.seconds });
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
