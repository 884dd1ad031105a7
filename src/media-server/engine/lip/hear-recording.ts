import type { MouthTrack } from '../animate/mouth-shape.ts';
import type { Codec } from '../codec/codec.ts';
import { RenderError } from '../render-error.ts';
import { MouthFromSound } from '../speech/mouth-from-sound.ts';
import { ANALYSIS_SAMPLE_RATE_HZ } from '../speech/sound-features.ts';

const RECORDING_SECONDS_MAX = 600;

/**
 * Reads the recording at `path` once and tells what a mouth does that speaks it. Throws `RenderError`:
 * `unsupported_format` when there is no sound in it, `input_too_large` above 10 minutes, by its header where it can.
 */
export async function hearRecording(
  codec: Codec,
  path: string,
  signal: AbortSignal,
  progress: () => void,
): Promise<MouthTrack> {
  const { audio, durationSeconds } = await codec.probe(path);
  if (!audio)
    throw new RenderError('unsupported_format', 'Cannot sync the lips: the recording has no sound track');
  if (durationSeconds > RECORDING_SECONDS_MAX) throw tooLong();
  const mouth = new MouthFromSound();
  for await (const samples of codec.readAudio(path, ANALYSIS_SAMPLE_RATE_HZ)) {
    signal.throwIfAborted();
    mouth.push(samples);
    progress();
    // Headers may promise less than there is.
    if (mouth.seconds > RECORDING_SECONDS_MAX) throw tooLong();
  }
  if (mouth.seconds === 0)
    throw new RenderError('unsupported_format', 'Cannot sync the lips: the recording is empty');
  const track = mouth.finish();
  progress();
  return track;
}

function tooLong(): RenderError {
  return new RenderError(
    'input_too_large',
    `Cannot sync the lips: the recording is longer than ${RECORDING_SECONDS_MAX / 60} minutes`,
  );
}
