import type { MouthTrack } from '../animate/mouth-shape.ts';
import type { Codec } from '../codec/codec.ts';
import { RenderError } from '../render-error.ts';
import { MouthFromSound } from '../speech/mouth-from-sound.ts';
import { ANALYSIS_SAMPLE_RATE_HZ } from '../speech/sound-features.ts';

const RECORDING_SECONDS_MAX = 600;

/**
 * Reads the recording at `path` once and returns the movement of a mouth that speaks it. Throws `RenderError`:
 * `unsupported_format` if it has no sound, `input_too_large` if it is longer than 10 minutes (its header is checked
 * first).
 */
export async function mouthFromRecording(
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
    // The recording may be longer than its header says.
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
