import { Biquad } from '../../../audio/biquad.ts';
import { OverlapAdder } from '../../../audio/overlap-adder.ts';
import { PitchTracker } from '../../../audio/pitch-tracker.ts';
import { SampleHistory } from '../../../audio/sample-history.ts';
import { SeededNoise } from '../../../audio/seeded-noise.ts';
import { Grain, type GrainCut } from './grain.ts';
import { RegisterFollower } from './register-follower.ts';
import { SpeechMarks } from './speech-marks.ts';
import type { VoiceProfile } from './voice-profile.ts';

/**
 * The delay of the grains relative to the speech, because a grain's period can only be found from the sound that
 * follows it.
 */
const LOOKAHEAD_SECONDS = 0.02;
/** How far a grain may extend before its position. */
const REACH_SECONDS = 0.015;
/** The distance between grains where there is no pitch. */
const PLAIN_SECONDS = 0.004;
/**
 * The number of pulses per second in breath noise, which consists of random pulses, each with the shape of the grain.
 */
const PULSES_HZ = 1200;
/** The approximate loudness of a whisper relative to the voice. */
const BREATH_LEVEL = 0.7;

/**
 * Shifts pitch and formants of speech independently. It cuts voiced speech into grains of two periods, reads
 * each at its own speed (formants) and places them at new distances (pitch), so that harmonics stay in phase
 * and the spectral envelope is preserved. Sound without pitch (hiss, plosives) passes unchanged.
 */
export class GrainShifter {
  readonly latencyFrames: number;
  readonly #profile: VoiceProfile;
  readonly #sampleRateHz: number;
  readonly #lookahead: number;
  readonly #reach: number;
  readonly #plain: number;
  readonly #speech: SampleHistory;
  readonly #tracker: PitchTracker;
  readonly #marks: SpeechMarks;
  readonly #follower: RegisterFollower;
  readonly #grain: Grain;
  readonly #cut: GrainCut = { source: 0, target: 0, offset: 0, left: 0, right: 0, speed: 1 };
  readonly #tone: OverlapAdder;
  readonly #breath: OverlapAdder | undefined;
  readonly #weight: OverlapAdder;
  readonly #scratch: Float32Array;
  readonly #breathColour: readonly Biquad[];
  readonly #noise = new SeededNoise(0x5eed);
  #isVoiced = false;
  /** The positions of the last grain and of the next one. */
  #last: number;
  #next: number;

  /** Processes blocks of exactly `blockFrames`. */
  constructor(profile: VoiceProfile, sampleRateHz: number, blockFrames: number) {
    this.#profile = profile;
    this.#sampleRateHz = sampleRateHz;
    this.#lookahead = Math.round(LOOKAHEAD_SECONDS * sampleRateHz);
    this.#reach = Math.round(REACH_SECONDS * sampleRateHz);
    this.#plain = Math.round(PLAIN_SECONDS * sampleRateHz);
    this.latencyFrames = this.#lookahead + this.#reach;
    const room = 5 * this.#reach;
    this.#speech = new SampleHistory(room);
    this.#tracker = new PitchTracker(sampleRateHz, blockFrames);
    this.#marks = new SpeechMarks(this.#tracker);
    this.#follower = new RegisterFollower(profile.pitch, profile.formants);
    this.#grain = new Grain(sampleRateHz, room);
    this.#tone = new OverlapAdder(room, -this.latencyFrames);
    this.#weight = new OverlapAdder(room, -this.latencyFrames);
    this.#breath = profile.breath ? new OverlapAdder(room, -this.latencyFrames) : undefined;
    this.#scratch = new Float32Array(blockFrames);
    this.#breathColour = [
      new Biquad({ kind: 'highPass', hz: 450 }, sampleRateHz),
      new Biquad({ kind: 'highShelf', hz: 2200, gainDb: 9 }, sampleRateHz),
    ];
    this.#last = -this.#lookahead - this.#plain;
    this.#next = -this.#lookahead;
  }

  /** Accepts a block of speech and writes the converted block from `latencyFrames` earlier. */
  process(block: Float32Array, output: Float32Array): void {
    this.#speech.push(block);
    this.#tracker.push(block);
    const limit = this.#speech.end - this.#lookahead;
    while (this.#next <= limit) this.#place(limit);
    this.#tone.take(output);
    this.#weight.take(this.#scratch);
    for (let n = 0; n < output.length; n++) {
      output[n] = (output[n] ?? 0) / Math.max(1, this.#scratch[n] ?? 0);
    }
    if (!this.#breath) return;
    this.#breath.take(this.#scratch);
    for (const filter of this.#breathColour) filter.process(this.#scratch);
    for (let n = 0; n < output.length; n++) output[n] = (output[n] ?? 0) + (this.#scratch[n] ?? 0);
  }

  #place(limit: number): void {
    const period = this.#tracker.periodAt(this.#next);
    if (period === 0) this.#placePlain(Math.round(this.#next));
    else if (this.#isVoiced) this.#placeVoiced();
    else this.#beginVoiced(period, limit);
  }

  #placePlain(target: number): void {
    if (this.#isVoiced) target = Math.max(Math.round(this.#last), this.#tone.taken) + this.#plain;
    this.#isVoiced = false;
    const cut = this.#cut;
    cut.source = cut.target = target;
    cut.left = cut.right = this.#plain;
    cut.offset = 0;
    cut.speed = 1;
    this.#grain.cut(this.#speech, cut);
    this.#tone.add(this.#grain.position, this.#grain.samples, this.#grain.count, 1);
    this.#weight.add(this.#grain.position, this.#grain.window, this.#grain.count, 1);
    this.#last = target;
    this.#next = target + this.#plain;
  }

  /** Sets the first mark where the speech is strongest, and fills the gap before it. */
  #beginVoiced(period: number, limit: number): void {
    const after = Math.round(this.#last) + 1;
    const first = Math.max(after, Math.round(this.#tracker.strongestBetween(after, after + period)));
    if (first - this.#last > 1.3 * this.#plain) return this.#placePlain(Math.round(this.#last) + this.#plain);
    if (first > limit) this.#next = first;
    else {
      this.#isVoiced = true;
      this.#marks.begin(first, period);
      this.#next = first;
      this.#placeVoiced();
    }
  }

  #placeVoiced(): void {
    const { jitter = 0, vibrato, breath = 0 } = this.#profile;
    this.#marks.advance(this.#next);
    const { period } = this.#marks;
    const pitchHz = this.#sampleRateHz / period;
    let wantedHz = this.#follower.next(pitchHz);
    if (vibrato) {
      const turn = (2 * Math.PI * vibrato.rateHz * this.#next) / this.#sampleRateHz;
      wantedHz *= 2 ** ((vibrato.semitones / 12) * Math.sin(turn));
    }
    if (jitter > 0) wantedHz *= 1 + jitter * (2 * this.#noise.next() - 1);
    const spacing = Math.max(8, Math.min(this.#sampleRateHz / wantedHz, 1.5 * this.#reach));
    this.#cutVoiced();
    const { position, samples, window, count } = this.#grain;
    const overlap = period / this.#cut.speed / spacing;
    // The energy of overlapping grains grows in proportion to their number.
    const level = Math.sqrt(1 / overlap) * Math.max(1, overlap);
    this.#tone.add(position, samples, count, level * Math.sqrt(1 - breath));
    this.#weight.add(position, window, count, 1);
    if (breath > 0) this.#addBreath(spacing, Math.sqrt(breath / overlap));
    this.#last = this.#next;
    this.#next += spacing;
  }

  #cutVoiced(): void {
    const { at, period, periodBefore, offset } = this.#marks;
    const cut = this.#cut;
    cut.speed = this.#follower.formantRatio;
    // A grain must not extend back into samples that were already output, because it would then start with a
    // click.
    const room = Math.min(this.#reach, this.#next - this.#tone.taken) * cut.speed;
    cut.source = at;
    cut.target = this.#next;
    cut.left = Math.min(periodBefore, room);
    cut.right = Math.min(period, this.#reach * cut.speed);
    cut.offset = Math.max(cut.left - room, Math.min(offset, this.#lookahead - cut.right));
    this.#grain.cut(this.#speech, cut);
  }

  /**
   * Adds the grain at random positions before the next grain, each time with a random sign. The result is noise with
   * the voice's spectrum.
   */
  #addBreath(spacing: number, gain: number): void {
    const { position, samples, count } = this.#grain;
    const pulses = Math.max(1, Math.round((spacing * PULSES_HZ) / this.#sampleRateHz));
    const level = (BREATH_LEVEL * gain) / Math.sqrt(pulses);
    for (let pulse = 0; pulse < pulses; pulse++) {
      const place = Math.floor(((pulse + this.#noise.next()) * spacing) / pulses);
      this.#breath?.add(position + place, samples, count, this.#noise.next() < 0.5 ? level : -level);
    }
  }
}
