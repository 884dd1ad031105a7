import { readFile } from 'node:fs/promises';
import { toFloat } from '../../../../src/audio/pcm.ts';
import { readWav } from '../../../../src/audio/wav.ts';
import { VoiceConverter } from '../../../../src/media-server/engine/voice/voice-converter.ts';
import type { VoiceProfile } from '../../../../src/media-server/engine/voice/voice-profile.ts';

/** A voice that changes nothing; tests use it with some properties changed. */
export const STEP: VoiceProfile = {
  id: 'plain',
  name: 'Plain',
  description: 'Speech as it is',
  speaker: 'slt',
  pitch: { kind: 'step', semitones: 0, intonation: 1 },
  formants: { ratio: 1, followPitch: 0 },
};

export interface Sound {
  readonly samples: Float32Array;
  readonly sampleRateHz: number;
}

/** Returns one of the sample recordings. */
export async function readSpeech(name: 'speech-man-48k' | 'speech-woman-16k'): Promise<Sound> {
  const { pcm, sampleRateHz } = readWav(
    await readFile(new URL(`../../../samples/${name}.wav`, import.meta.url)),
  );
  const samples = new Float32Array(pcm.length);
  toFloat(pcm, samples);
  return { samples, sampleRateHz };
}

/** Returns the whole sound converted to the voice, shifted back by the latency so that it aligns with the input. */
export function convert(profile: VoiceProfile, samples: Float32Array, sampleRateHz: number): Float32Array {
  const converter = new VoiceConverter(profile, { sampleRateHz });
  const input = new Float32Array(samples.length + converter.latencyFrames);
  input.set(samples);
  const output = new Float32Array(input.length);
  converter.process(input, output);
  return output.subarray(converter.latencyFrames);
}
