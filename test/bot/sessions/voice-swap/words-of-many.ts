import { type EnergyEnvelope, alignEnvelopes } from '../../../../src/audio/energy-envelope.ts';

/** One of several members who speak at the same time. */
export interface OneOfMany {
  /** This member's speech, on the time line that all members share. */
  readonly said: EnergyEnvelope;
  /** The level at which the member is heard, relative to the level at which they spoke. */
  readonly gain: number;
}

/** The largest difference that is tried between a speaker's delay and the first speaker's. */
const APART_MS_MAX = 200;
const STEP_MS = 20;
const ROUNDS = 2;
/** The compared parts are short, because one stall of the machine spoils the whole part in which it happens. */
const WORDS = { partMs: 1_000, fromMs: -100, toMs: 800 };

/**
 * Returns the similarity of the heard sound to the words of all speakers, -1 to 1. With a plain sum of the words, a
 * shift of 60 ms between speakers, which no listener notices, would lower the similarity by a fifth, as would a voice
 * that is louder after its conversion. Therefore each speaker's words may be shifted, and are weighted by the level
 * at which the speaker is heard alone.
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

/** Adds up the energies of the shifted voices. */
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
