/** Converts both sample speakers to every voice: WAVs, spectrograms and figures in `out/voice/`. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { toPcm } from '../../../../src/audio/pcm.ts';
import { writeWav } from '../../../../src/audio/wav.ts';
import { VOICES } from '../../../../src/media-server/engine/voice/voices.ts';
import {
  harmonicity,
  longTermSpectrum,
  median,
  pitchContour,
  shapeDifference,
} from '../../../audio/analysis.ts';
import { writeSpectrogram } from './spectrogram.ts';
import { STEP, convert, readSpeech } from './use-voice.ts';

const OUT = fileURLToPath(new URL('../../../../out/voice/', import.meta.url));

await mkdir(OUT, { recursive: true });
const only = process.argv[2];
for (const name of ['speech-man-48k', 'speech-woman-16k'] as const) {
  const { samples, sampleRateHz } = await readSpeech(name);
  const spectrum = longTermSpectrum(samples, sampleRateHz);
  const report = async (id: string, sound: Float32Array): Promise<void> => {
    const contour = pitchContour(sound, sampleRateHz);
    const figures = {
      pitchHz: median(contour),
      voiced: contour.filter((pitch) => pitch > 0).length / contour.length,
      harmonicityDb: harmonicity(sound, sampleRateHz),
      spectrumDb: shapeDifference(spectrum, longTermSpectrum(sound, sampleRateHz)),
      rms: Math.sqrt(sound.reduce((sum, x) => sum + x * x, 0) / sound.length),
    };
    const text = Object.entries(figures).map(([key, value]) => `${key} ${value.toFixed(2)}`);
    process.stdout.write(`${name} ${id.padEnd(14)} ${text.join('  ')}\n`);
    const pcm = new Int16Array(sound.length);
    toPcm(sound, pcm);
    await writeFile(join(OUT, `${name}-${id}.wav`), writeWav({ sampleRateHz, pcm }));
    await writeSpectrogram(sound, sampleRateHz, join(OUT, `${name}-${id}.png`));
  };
  await report('input', samples);
  for (const semitones of [-5, 0, 5]) {
    const profile = { ...STEP, pitch: { kind: 'step', semitones, intonation: 1 } } as const;
    await report(`step${semitones}`, convert(profile, samples, sampleRateHz));
  }
  for (const voice of VOICES) {
    if (only === undefined || voice.id === only)
      await report(voice.id, convert(voice, samples, sampleRateHz));
  }
}
