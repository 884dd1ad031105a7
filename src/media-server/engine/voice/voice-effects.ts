import { Biquad } from '../../../audio/biquad.ts';
import { Limiter } from '../../../audio/limiter.ts';
import type { VoiceProfile } from './voice-profile.ts';

type Effect = (samples: Float32Array) => void;

/**
 * Returns the effects that are applied to a voice after its pitch and formants have been shifted. They process blocks
 * in place, and the last one is always the limiter.
 */
export function voiceEffects(profile: VoiceProfile, sampleRateHz: number): readonly Effect[] {
  const effects: Effect[] = [];
  const { timbre = [], compressor, driveDb, ring, tremolo, echo, gainDb } = profile;
  if (compressor) effects.push(compress(compressor, sampleRateHz));
  if (driveDb) effects.push(saturate(decibels(driveDb)));
  for (const band of timbre) {
    const filter = new Biquad(band, sampleRateHz);
    effects.push((samples) => filter.process(samples));
  }
  if (ring) effects.push(modulate((wave) => 1 - ring.mix + ring.mix * wave, ring.hz, sampleRateHz));
  if (tremolo) {
    const { depth, rateHz } = tremolo;
    effects.push(modulate((wave) => 1 - (depth * (1 - wave)) / 2, rateHz, sampleRateHz));
  }
  if (echo) effects.push(repeat(echo, sampleRateHz));
  if (gainDb) effects.push(amplify(decibels(gainDb)));
  const limiter = new Limiter(sampleRateHz);
  effects.push((samples) => limiter.process(samples));
  return effects;
}

function decibels(db: number): number {
  return 10 ** (db / 20);
}

function amplify(gain: number): Effect {
  return (samples) => {
    for (let n = 0; n < samples.length; n++) samples[n] = (samples[n] ?? 0) * gain;
  };
}

/** Compresses loud samples softly; quiet ones hardly change. */
function saturate(drive: number): Effect {
  return (samples) => {
    for (let n = 0; n < samples.length; n++) samples[n] = Math.tanh((samples[n] ?? 0) * drive) / drive;
  };
}

/** Multiplies the samples by the gain that `gainOf` returns for a sine wave. */
function modulate(gainOf: (wave: number) => number, hz: number, sampleRateHz: number): Effect {
  const step = (2 * Math.PI * hz) / sampleRateHz;
  let kept = 0;
  return (samples) => {
    let phase = kept;
    for (let n = 0; n < samples.length; n++) {
      samples[n] = (samples[n] ?? 0) * gainOf(Math.sin(phase));
      phase += step;
    }
    kept = phase % (2 * Math.PI);
  };
}

function repeat({ delayMs, feedback, mix }: NonNullable<VoiceProfile['echo']>, sampleRateHz: number): Effect {
  const memory = new Float32Array(Math.max(1, Math.round((delayMs / 1000) * sampleRateHz)));
  let at = 0;
  return (samples) => {
    for (let n = 0; n < samples.length; n++) {
      const x = samples[n] ?? 0;
      const past = memory[at] ?? 0;
      const next = x + past * feedback;
      memory[at] = Math.abs(next) < 1e-9 ? 0 : next;
      at = at + 1 === memory.length ? 0 : at + 1;
      samples[n] = x + past * mix;
    }
  };
}

function compress(
  { thresholdDb, ratio, makeUpDb }: NonNullable<VoiceProfile['compressor']>,
  sampleRateHz: number,
): Effect {
  const attack = 1 - Math.exp(-1 / (0.005 * sampleRateHz));
  const release = 1 - Math.exp(-1 / (0.12 * sampleRateHz));
  const threshold = decibels(thresholdDb);
  const slope = 1 / ratio - 1;
  const makeUp = decibels(makeUpDb);
  const kept = { level: 0, gain: makeUp };
  return (samples) => {
    let { level, gain } = kept;
    let step = 0;
    for (let n = 0; n < samples.length; n++) {
      const x = samples[n] ?? 0;
      const size = Math.abs(x);
      level += (size - level) * (size > level ? attack : release);
      // Computing a power is expensive, so the gain is computed for every sixteenth sample and interpolated
      // linearly.
      if (n % 16 === 0) {
        const wanted = makeUp * (level > threshold ? (level / threshold) ** slope : 1);
        step = (wanted - gain) / 16;
      }
      gain += step;
      samples[n] = x * gain;
    }
    kept.level = level < 1e-9 ? 0 : level;
    kept.gain = gain;
  };
}
