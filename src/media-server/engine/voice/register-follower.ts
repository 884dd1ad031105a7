import type { FormantPlan, PitchPlan } from './voice-profile.ts';

const LEARN_PERIODS_MAX = 900;
/**
 * How much a single period may change the estimated middle pitch, in octaves: while the voice is unknown, and once it
 * is known.
 */
const SURPRISE_MAX = 0.5;
const SURPRISE_MAX_KNOWN = 0.3;
/**
 * The number of periods after which a voice counts as known, because the first periods of a stream may be measured
 * wrongly.
 */
const KNOWN_AFTER = 12;
const FORMANT_RATIO_MIN = 0.72;
const FORMANT_RATIO_MAX = 1.45;

/**
 * Learns a speaker's middle pitch and returns the new pitch of each period. It learns fast from the first few
 * periods, then more and more slowly (over about eight seconds of voiced speech), so that the voice never
 * glides audibly.
 */
export class RegisterFollower {
  readonly #plan: PitchPlan;
  readonly #formants: FormantPlan;
  #middle = 0;
  #periods = 0;
  #formantRatio: number;

  constructor(plan: PitchPlan, formants: FormantPlan) {
    this.#plan = plan;
    this.#formants = formants;
    this.#formantRatio = formants.ratio;
  }

  /** The current ratio of the formants. */
  get formantRatio(): number {
    return this.#formantRatio;
  }

  /** Accepts the pitch of one period and returns its new pitch, in Hz. */
  next(pitchHz: number): number {
    this.#learn(Math.log2(pitchHz));
    const shift = this.#shiftOctaves();
    const ratio = this.#formants.ratio * 2 ** (shift * this.#formants.followPitch);
    const bounded = Math.max(FORMANT_RATIO_MIN, Math.min(FORMANT_RATIO_MAX, ratio));
    // Formants follow smoothly, even while the first periods still change the estimated pitch of the speaker.
    this.#formantRatio += (bounded - this.#formantRatio) * (this.#periods < KNOWN_AFTER ? 0.5 : 0.05);
    if (this.#plan.kind === 'held') return this.#plan.hz;
    const melody = (Math.log2(pitchHz) - this.#middle) * this.#plan.intonation;
    return 2 ** (this.#middle + melody + shift);
  }

  #learn(pitch: number): void {
    if (this.#periods === 0) this.#middle = pitch;
    this.#periods = Math.min(LEARN_PERIODS_MAX, this.#periods + 1);
    const most = this.#periods < KNOWN_AFTER ? SURPRISE_MAX : SURPRISE_MAX_KNOWN;
    const surprise = Math.max(-most, Math.min(most, pitch - this.#middle));
    this.#middle += surprise / this.#periods;
  }

  #shiftOctaves(): number {
    const plan = this.#plan;
    if (plan.kind === 'held') return 0;
    if (plan.kind === 'step') return plan.semitones / 12;
    const wanted = Math.log2(plan.targetHz) - this.#middle;
    return Math.max(plan.semitonesMin / 12, Math.min(plan.semitonesMax / 12, wanted));
  }
}
