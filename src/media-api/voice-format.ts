import { readJson } from '../base/read-json.ts';
import { wireVoiceFormat } from './wire.ts';

/** How the audio of a voice session is cut, in both directions: mono, 16 bit. */
export interface VoiceFormat {
  readonly sampleRateHz: number;
  /** About how many samples a message should hold. */
  readonly chunkFrames: number;
}

const SAMPLE_RATE_HZ_MIN = 8_000;
const SAMPLE_RATE_HZ_MAX = 192_000;
const CHUNK_FRAMES_MIN = 16;
/** Of a chunk: more is no conversation any longer. */
const CHUNK_SECONDS_MAX = 6;

/** Reads a text frame; undefined where it is something else than a format that can be worked with. */
export function readVoiceFormat(text: string): VoiceFormat | undefined {
  const { data } = wireVoiceFormat.safeParse(readJson(text));
  if (!data) return undefined;
  const { sample_rate: sampleRateHz, chunk_frames: chunkFrames } = data;
  const isSane =
    sampleRateHz >= SAMPLE_RATE_HZ_MIN &&
    sampleRateHz <= SAMPLE_RATE_HZ_MAX &&
    chunkFrames >= CHUNK_FRAMES_MIN &&
    chunkFrames <= sampleRateHz * CHUNK_SECONDS_MAX;
  return isSane ? { sampleRateHz, chunkFrames } : undefined;
}
