import type { EqualiserBand } from '../../../audio/biquad.ts';
import type { Voice } from '../voice-swap-engine.ts';

/** A target voice with all its parameters. */
export interface VoiceProfile extends Voice {
  /** The text-to-speech speaker that suits this voice best. */
  readonly speaker: Speaker;
  readonly pitch: PitchPlan;
  readonly formants: FormantPlan;
  /** The share of the voiced sound that is breath instead of tone, 0 to 1; 1 is a whisper. */
  readonly breath?: number;
  /** Random variation of each period's length, as a share of the length. */
  readonly jitter?: number;
  readonly vibrato?: { readonly rateHz: number; readonly semitones: number };
  /** The equaliser bands, in order. They are applied after the compressor and the saturation. */
  readonly timbre?: readonly EqualiserBand[];
  /** The gain in dB before soft saturation. */
  readonly driveDb?: number;
  /**
   * Level differences above the threshold are divided by the ratio, then the make-up gain is applied to
   * everything.
   */
  readonly compressor?: {
    readonly thresholdDb: number;
    readonly ratio: number;
    readonly makeUpDb: number;
  };
  /** Ring modulation: multiplication by a sine, with share `mix` (0 to 1). */
  readonly ring?: { readonly hz: number; readonly mix: number };
  /** Periodic change of loudness by `depth` (0 to 1). */
  readonly tremolo?: { readonly rateHz: number; readonly depth: number };
  readonly echo?: { readonly delayMs: number; readonly feedback: number; readonly mix: number };
  /** The final gain. Default 0 dB. */
  readonly gainDb?: number;
}

/** The speakers of the text-to-speech synthesiser. */
type Speaker = 'slt' | 'rms' | 'awb' | 'kal16';

/**
 * How the pitch is changed: shifted by a fixed step; shifted so that the speaker's middle pitch becomes
 * `targetHz`, within the limits; or held at one pitch. `intonation` scales the melody: 1 keeps it, 0 is flat.
 */
export type PitchPlan =
  | { readonly kind: 'step'; readonly semitones: number; readonly intonation: number }
  | {
      readonly kind: 'register';
      readonly targetHz: number;
      readonly semitonesMin: number;
      readonly semitonesMax: number;
      readonly intonation: number;
    }
  | { readonly kind: 'held'; readonly hz: number };

/**
 * How far formants (the resonances of the vocal tract) move: by `ratio`, times the ratio of the pitch shift
 * to the power of `followPitch`. Between human speakers the power is about 0.3; with 0, formants move equally
 * for all speakers.
 */
export interface FormantPlan {
  readonly ratio: number;
  readonly followPitch: number;
}
