import type { MouthTrack } from '../animate/mouth-shape.ts';
import { smoothStep } from '../smooth-step.ts';
import { MouthNet } from './mouth-net.ts';
import { SampledMouthTrack, SHAPE_VALUES } from './sampled-mouth-track.ts';
import { FRAME_VALUES, FRAMES_PER_SECOND, SoundFeatures } from './sound-features.ts';

/** Where the net is uncertain, it averages, so movements become smaller. These gains compensate for that. */
const OPEN_GAIN = 1.15;
const SPREAD_GAIN = 1.5;
/**
 * The net's confidence in a contact of the lips: up to `TOUCH_FROM` they are apart, from `TOUCH_FULL` they are
 * together.
 */
const TOUCH_FROM = 0.3;
const TOUCH_FULL = 0.6;
/**
 * Loudness relative to that of speech, in the features' unit: silent below `SILENT_BELOW`, spoken above `SPOKEN_ABOVE`.
 */
const SILENT_BELOW = -2;
const SPOKEN_ABOVE = -1.5;
/**
 * The noise level of a recording is the loudness that it stays below in this share of its moments. Sound less than
 * `NOISE_ABOVE` above this level counts as silence, and sound more than `SPEECH_ABOVE` above it as speech, in the
 * features' unit.
 */
const NOISE_SHARE = 0.05;
const NOISE_ABOVE = 0.25;
const SPEECH_ABOVE = 0.55;
/** The mouth is at rest only in pauses longer than the closure of a "p". */
const SILENCE_FRAMES = 14;
const TUCKED_OPEN = 0.1;
const PARTS = { open: 0, spread: 1, press: 2, tuck: 3 } as const;

/**
 * Computes the movement of the speaker's mouth from a recording of speech, which is pushed in pieces. A
 * neural net estimates the shapes 100 times a second, independent of the recording's level, frequency
 * response and noise. In silence the mouth is at rest.
 */
export class MouthFromSound {
  readonly #features = new SoundFeatures();

  /** The length of the recording so far. */
  get seconds(): number {
    return this.#features.seconds;
  }

  /** Appends any number of mono samples at `ANALYSIS_SAMPLE_RATE_HZ`. */
  push(samples: Float32Array): void {
    this.#features.push(samples);
  }

  /** Ends the recording and returns the movement of the mouth for all of it. */
  finish(): MouthTrack {
    const duration = this.seconds;
    const features = this.#features.finish();
    const net = new MouthNet();
    const shapes = new Float32Array((features.length / FRAME_VALUES) * SHAPE_VALUES);
    for (let frame = 0; frame * SHAPE_VALUES < shapes.length; frame++)
      shapes.set(net.at(features, frame), frame * SHAPE_VALUES);
    restInSilence(shapes, features);
    smooth(shapes, PARTS.open, [1, 3, 4, 3, 1]);
    smooth(shapes, PARTS.spread, [1, 2, 3, 4, 3, 2, 1]);
    smooth(shapes, PARTS.press, [1, 2, 1]);
    smooth(shapes, PARTS.tuck, [1, 2, 2, 2, 1]);
    bringLipsTogether(shapes);
    return new SampledMouthTrack(shapes, FRAMES_PER_SECOND, duration);
  }
}

function restInSilence(shapes: Float32Array, features: Float32Array): void {
  const frames = shapes.length / SHAPE_VALUES;
  const loudness = Float32Array.from({ length: frames }, (_, frame) => {
    return features[frame * FRAME_VALUES + FRAME_VALUES - 1] ?? 0;
  });
  const noise = loudness.toSorted()[Math.floor(NOISE_SHARE * frames)] ?? 0;
  for (let frame = 0; frame < frames; frame++) {
    // Uses the maximum loudness nearby: then the middle of a pause counts as silent, but neither a pause's edges nor
    // the closures within words do.
    let nearby = Number.NEGATIVE_INFINITY;
    for (let other = frame - SILENCE_FRAMES / 2; other <= frame + SILENCE_FRAMES / 2; other++)
      if (other >= 0 && other < frames) nearby = Math.max(nearby, loudness[other] ?? 0);
    const share =
      smoothStep(SILENT_BELOW, SPOKEN_ABOVE, nearby) * smoothStep(NOISE_ABOVE, SPEECH_ABOVE, nearby - noise);
    for (let part = 0; part < SHAPE_VALUES; part++) {
      const at = frame * SHAPE_VALUES + part;
      shapes[at] = (shapes[at] ?? 0) * share;
    }
  }
}

function bringLipsTogether(shapes: Float32Array): void {
  for (let at = 0; at < shapes.length; at += SHAPE_VALUES) {
    const press = smoothStep(TOUCH_FROM, TOUCH_FULL, shapes[at + PARTS.press] ?? 0);
    const tuck = smoothStep(TOUCH_FROM, TOUCH_FULL, shapes[at + PARTS.tuck] ?? 0) * (1 - press);
    const open = OPEN_GAIN * (shapes[at + PARTS.open] ?? 0);
    const spread = SPREAD_GAIN * (shapes[at + PARTS.spread] ?? 0);
    shapes[at + PARTS.spread] = Math.min(1, Math.max(-1, spread));
    shapes[at + PARTS.open] = open * (1 - press) * (1 - tuck) + TUCKED_OPEN * tuck;
    shapes[at + PARTS.press] = press;
    shapes[at + PARTS.tuck] = tuck;
  }
}

function smooth(shapes: Float32Array, part: number, weights: readonly number[]): void {
  const frames = shapes.length / SHAPE_VALUES;
  const half = (weights.length - 1) / 2;
  const sum = weights.reduce((total, weight) => total + weight, 0);
  const values = Float32Array.from(
    { length: frames },
    (_, frame) => shapes[frame * SHAPE_VALUES + part] ?? 0,
  );
  for (let frame = 0; frame < frames; frame++) {
    let value = 0;
    for (const [n, weight] of weights.entries()) {
      const near = Math.min(frames - 1, Math.max(0, frame + n - half));
      value += weight * (values[near] ?? 0);
    }
    shapes[frame * SHAPE_VALUES + part] = value / sum;
  }
}
