import { Biquad } from '../../../audio/biquad.ts';
import { Limiter } from '../../../audio/limiter.ts';
import type { VoiceProfile } from './voice-profile.ts';

type Effect = (samples: Float32Array) => void;

/** What a voice does after pitch and formants, in place and block by block; the last is always the limiter. */
export function voiceEffects(profile: VoiceProfile, sampleRateHz: number): readonly Effect[] {
  const effects: Effect[] = [];
  for (const band of profile.timbre ?? []) {
    const filter = new Biquad(band, sampleRateHz);
    effects.push((samples) => filter.process(samples));
  }
  const { compressor, driveDb, ring, tremolo, echo, gainDb } = profile;
  if (compressor) effects.push(compress(compressor, sampleRateHz));
  if (driveDb) effects.push(saturate(decibels(driveDb)));
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

/** Bends loud samples; quiet ones keep their size. */
function saturate(drive: number): Effect {
  return (samples) => {
    for (let n = 0; n < samples.length; n++) samples[n] = Math.tanh((samples[n] ?? 0) * drive) / drive;
  };
}

/** Multiplies with what `gainOf` makes of a sine. */
function modulate(gainOf: (wave: number) => number, hz: number, sampleRateHz: number): Effect {
  const step = (2 * Math.PI * hz) / sampleRateHz;
  let phase = 0;
  return (samples) => {
    for (let n = 0; n < samples.length; n++) {
      samples[n] = (samples[n] ?? 0) * gainOf(Math.sin(phase));
      phase += step;
    }
    phase %= 2 * Math.PI;
  };
}

function repeat({ delayMs, feedback, mix }: NonNullable<VoiceProfile['echo']>, sampleRateHz: number): Effect {
  const memory = new Float32Array(Math.max(1, Math.round((delayMs / 1000) * sampleRateHz)));
  let at = 0;
  return (samples) => {
    for (let n = 0; n < samples.length; n++) {
      const x = samples[n] ?? 0;
      const past = memory[at] ?? 0;
      const kept = x + past * feedback;
      memory[at] = Math.abs(kept) < 1e-9 ? 0 : kept;
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
  let level = 0;
  let gain = makeUp;
  let step = 0;
  return (samples) => {
    for (let n = 0; n < samples.length; n++) {
      const x = samples[n] ?? 0;
      const size = Math.abs(x);
      level += (size - level) * (size > level ? attack : release);
      // A power is dear: the gain is worked out for every sixteenth sample and moves there in a line.
      if (n % 16 === 0) {
        const wanted = makeUp * (level > threshold ? (level / threshold) ** slope : 1);
        step = (wanted - gain) / 16;
      }
      gain += step;
      samples[n] = x * gain;
    }
    if (level < 1e-9) level = 0;
  };
}
