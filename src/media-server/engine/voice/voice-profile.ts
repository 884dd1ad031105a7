import type { EqualiserBand } from '../../../audio/biquad.ts';
import type { Voice } from '../voice-swap.ts';

/** A voice to convert to, and all its parameters. */
export interface VoiceProfile extends Voice {
  /** The text-to-speech speaker whose speech suits this voice best. */
  readonly speaker: Speaker;
  readonly pitch: PitchPlan;
  readonly formants: FormantPlan;
  /** Share of the voiced sound that is breath instead of tone, 0 to 1; 1 whispers. */
  readonly breath?: number;
  /** Random unsteadiness of each period, as a share of it. */
  readonly jitter?: number;
  readonly vibrato?: { readonly rateHz: number; readonly semitones: number };
  /** The equaliser, in order; it comes after compressor and saturation. */
  readonly timbre?: readonly EqualiserBand[];
  /** Soft saturation: how many dB the sound is driven into it. */
  readonly driveDb?: number;
  /** Level differences above the threshold are divided by the ratio, then all is raised by the make-up gain. */
  readonly compressor?: {
    readonly thresholdDb: number;
    readonly ratio: number;
    readonly makeUpDb: number;
  };
  /** Multiplication with a sine, `mix` of it (0 to 1). */
  readonly ring?: { readonly hz: number; readonly mix: number };
  /** Loudness goes up and down by `depth` (0 to 1). */
  readonly tremolo?: { readonly rateHz: number; readonly depth: number };
  readonly echo?: { readonly delayMs: number; readonly feedback: number; readonly mix: number };
  /** Loudness at the end. Default 0 dB. */
  readonly gainDb?: number;
}

/** The speakers of the text-to-speech. */
type Speaker = 'slt' | 'rms' | 'awb' | 'kal16';

/**
 * How the pitch is set: moved by a fixed step; moved so that the speaker's middle pitch comes to `targetHz`,
 * by no more than the bounds; or held at one pitch. `intonation` scales the melody: 1 keeps it, 0 is flat.
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
 * How far formants (the resonances of the vocal tract) move: by `ratio`, times the ratio of the pitch move to the
 * power `followPitch`. Human speakers differ by a power of about 0.3; 0 moves them the same for everybody.
 */
export interface FormantPlan {
  readonly ratio: number;
  readonly followPitch: number;
}
