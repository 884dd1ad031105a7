import { PAUSE } from './phone.ts';

/** The target position of the mouth for a phone, and its weight relative to the neighbouring targets. */
export interface VisemeTarget {
  /** The shape of the mouth, with the values of `MouthShape`. */
  readonly open: number;
  readonly spread: number;
  /**
   * The weight of the jaw's target. It is low for consonants that are made with the tongue, so that the
   * vowels around them determine the jaw.
   */
  readonly jawWeight: number;
  /** The weight of the lips' target. */
  readonly lipWeight: number;
}

/** Phones for which both lips meet, regardless of their neighbours. */
export const BILABIALS: ReadonlySet<string> = new Set(['m', 'b', 'p']);
/** Phones for which the lower lip meets the upper teeth. */
export const LABIODENTALS: ReadonlySet<string> = new Set(['f', 'v']);

const vowel = (open: number, spread: number): VisemeTarget => ({
  open,
  spread,
  jawWeight: 1,
  lipWeight: 0.8,
});
const tongue = (open: number, spread: number, jawWeight = 0.5): VisemeTarget => ({
  open,
  spread,
  jawWeight,
  lipWeight: 0.22,
});
const rounded = (open: number, spread: number): VisemeTarget => ({
  open,
  spread,
  jawWeight: 0.7,
  lipWeight: 1.8,
});
const lips = (open: number): VisemeTarget => ({ open, spread: 0, jawWeight: 0.9, lipWeight: 0.5 });

/**
 * The targets for clear speech, as if in front of a camera. After blending with neighbours, lips are about 9 mm apart
 * for "ah" at normal speed, and 4 mm for "ee" and "oo". Diphthongs have two targets.
 */
const TARGETS: ReadonlyMap<string, readonly VisemeTarget[]> = new Map([
  ['aa', [vowel(0.84, 0)]],
  ['ae', [vowel(0.8, 0.35)]],
  ['ah', [vowel(0.62, 0.05)]],
  ['ao', [vowel(0.74, -0.45)]],
  ['aw', [vowel(0.82, 0.05), vowel(0.36, -0.65)]],
  ['ax', [vowel(0.44, 0.05)]],
  ['axr', [vowel(0.38, -0.25)]],
  ['ay', [vowel(0.82, 0.1), vowel(0.36, 0.5)]],
  ['eh', [vowel(0.66, 0.35)]],
  ['er', [vowel(0.42, -0.3)]],
  ['ey', [vowel(0.56, 0.45), vowel(0.34, 0.6)]],
  ['ih', [vowel(0.42, 0.4)]],
  ['iy', [vowel(0.38, 0.75)]],
  ['ow', [vowel(0.6, -0.5), vowel(0.36, -0.85)]],
  ['oy', [vowel(0.6, -0.6), vowel(0.36, 0.5)]],
  ['uh', [vowel(0.42, -0.45)]],
  ['uw', [vowel(0.32, -0.9)]],
  ['m', [lips(0)]],
  ['b', [lips(0)]],
  ['p', [lips(0)]],
  ['f', [lips(0.12)]],
  ['v', [lips(0.12)]],
  ['th', [tongue(0.18, 0.1)]],
  ['dh', [tongue(0.16, 0.1)]],
  ['t', [tongue(0.14, 0.15)]],
  ['d', [tongue(0.15, 0.15)]],
  ['n', [tongue(0.2, 0.15)]],
  ['l', [tongue(0.3, 0.1)]],
  ['s', [tongue(0.07, 0.3, 0.9)]],
  ['z', [tongue(0.07, 0.3, 0.9)]],
  ['sh', [rounded(0.12, -0.5)]],
  ['zh', [rounded(0.12, -0.5)]],
  ['ch', [rounded(0.12, -0.45)]],
  ['jh', [rounded(0.12, -0.45)]],
  ['k', [tongue(0.24, 0.1, 0.35)]],
  ['g', [tongue(0.24, 0.1, 0.35)]],
  ['ng', [tongue(0.24, 0.1, 0.35)]],
  ['r', [rounded(0.22, -0.4)]],
  ['w', [rounded(0.1, -0.95)]],
  ['y', [tongue(0.18, 0.45)]],
  ['hh', [tongue(0.34, 0, 0.25)]],
  [PAUSE, [{ open: 0, spread: 0, jawWeight: 1.2, lipWeight: 1 }]],
]);

const UNKNOWN: readonly VisemeTarget[] = [tongue(0.2, 0)];

/** Returns the targets of a phone in ARPAbet, in order, or a slight opening if it is not in the table. */
export function visemeTargets(phone: string): readonly VisemeTarget[] {
  return TARGETS.get(phone) ?? UNKNOWN;
}

/** Returns whether a phone is a vowel. Vowels reach their target only if they are long enough. */
export function isVowel(phone: string): boolean {
  return /^[aeiou]/.test(phone);
}
