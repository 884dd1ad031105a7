import { readFile } from 'node:fs/promises';
import { setImmediate } from 'node:timers/promises';
import { toFloat, toPcm } from '../../../audio/pcm.ts';
import { readWav, writeWav } from '../../../audio/wav.ts';
import { VoiceConverter } from './voice-converter.ts';
import type { VoiceProfile } from './voice-profile.ts';

/* These are the first sentences of the project's own sample recordings (CC0), at 16 kHz. */
const WOMAN = new URL('preview-woman.wav', import.meta.url);
const MAN = new URL('preview-man.wav', import.meta.url);
/** After this many samples, the thread may convert live streams before it continues. */
const PIECE_FRAMES = 1600;

/**
 * Returns a recorded sentence in the voice, as a WAV file. The sentence is converted in pieces, and the thread can do
 * other work between them.
 */
export async function renderPreview(profile: VoiceProfile): Promise<Uint8Array<ArrayBuffer>> {
  const { sampleRateHz, pcm } = readWav(await readFile(profile.speaker === 'slt' ? WOMAN : MAN));
  const converter = new VoiceConverter(profile, { sampleRateHz });
  const samples = new Float32Array(pcm.length + converter.latencyFrames);
  toFloat(pcm, samples);
  for (let at = 0; at < samples.length; at += PIECE_FRAMES) {
    const piece = samples.subarray(at, at + PIECE_FRAMES);
    converter.process(piece, piece);
    await setImmediate();
  }
  const converted = new Int16Array(pcm.length);
  toPcm(samples.subarray(converter.latencyFrames), converted);
  return writeWav({ sampleRateHz, pcm: converted });
}
