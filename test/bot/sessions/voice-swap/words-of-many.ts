import { type EnergyEnvelope, alignEnvelopes } from '../../../../src/audio/energy-envelope.ts';

/** One of several who speak at once. */
export interface OneOfMany {
  /** All of them on one time line. */
  readonly said: EnergyEnvelope;
  /** How much louder they are heard than they said it. */
  readonly gain: number;
}

/** Each is heard after a wait of their own, which may differ from the first one's by so much. */
const APART_MS_MAX = 200;
const STEP_MS = 20;
const ROUNDS = 2;
/** Long parts would make one stop of the machine cost the words of seconds. */
const WORDS = { partMs: 1_000, fromMs: -100, toMs: 800 };

/**
 * How alike what is heard of several at once is to all of their words, -1 to 1. Words that are moved by 60 ms against
 * those of the others, which no listener minds, would cost a fifth of the likeness of the mere sum; so does a voice
 * that is converted into a louder one. So each may be moved, and is as loud as when heard alone.
 */
export function likenessOfMany(many: readonly OneOfMany[], heard: EnergyEnvelope): number {
  const laterMs = many.map(() => 0);
  const likeness = (): number => alignEnvelopes(sumOf(many, laterMs), heard, WORDS).likeness;
  let best = likeness();
  for (let round = 0; round < ROUNDS; round++) {
    for (let who = 1; who < many.length; who++) {
      let bestMs = laterMs[who] ?? 0;
      for (let ms = -APART_MS_MAX; ms <= APART_MS_MAX; ms += STEP_MS) {
        laterMs[who] = ms;
        const now = likeness();
        if (now > best) [best, bestMs] = [now, ms];
      }
      laterMs[who] = bestMs;
    }
  }
  return best;
}

/** The energies of different voices add up. */
function sumOf(many: readonly OneOfMany[], laterMs: readonly number[]): EnergyEnvelope {
  const [first] = many;
  const stepMs = first?.said.stepMs ?? 1;
  const length = Math.max(0, ...many.map(({ said }) => said.levels.length));
  const levels = new Float32Array(length);
  for (const [who, { said, gain }] of many.entries()) {
    const later = Math.round((laterMs[who] ?? 0) / stepMs);
    for (let n = 0; n < length; n++) {
      levels[n] = (levels[n] ?? 0) + (gain * (said.levels[n - later] ?? 0)) ** 2;
    }
  }
  return { stepMs, levels: levels.map(Math.sqrt) };
}
