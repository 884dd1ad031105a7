import { readJson } from '../base/read-json.ts';
import { wireVoiceFormat } from './wire.ts';

/** The format of a voice session's audio in both directions: mono, 16 bits. */
export interface VoiceFormat {
  readonly sampleRateHz: number;
  /** The approximate number of samples per message. */
  readonly chunkFrames: number;
}

const SAMPLE_RATE_HZ_MIN = 8_000;
const SAMPLE_RATE_HZ_MAX = 192_000;
const CHUNK_FRAMES_MIN = 16;
/** The longest accepted chunk. Longer chunks would make conversation impossible. */
const CHUNK_SECONDS_MAX = 6;

/** Parses a text frame. Returns undefined if it is not a supported format. */
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
