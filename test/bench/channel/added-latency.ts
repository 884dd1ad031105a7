import { createDecoder } from 'libopus-wasm';
import type { LoggedPacket } from '../../../src/sandbox/voice/packet-log.ts';
import { VOICE } from './speech.ts';

/** Sound is compared at 8 kHz, so positions are an eighth of a millisecond apart. */
const DOWN = 6;
const PER_MS = VOICE.rateHz / DOWN / 1000;
const FRAME = VOICE.frame / DOWN;
/** The search compares 60 ms of the bot's sound at a time. */
const WINDOW_FRAMES = 3;
const WINDOW = WINDOW_FRAMES * FRAME;
/** Shorter than the time after which the speech sample repeats. */
const LATENCY_MS_MAX = 2_000;
/**
 * The bot cannot repeat speech before the member has said it, but clock and pacing errors may make its sound seem this
 * much earlier.
 */
const EARLY_MS_MAX = 20;
/**
 * The distances to search around the previous position, in milliseconds, one after the other. Nearby positions are
 * tried first, because speech resembles itself in many places.
 */
const NEAR_MS = [15, 60, 240];
const LIKENESS_MIN = 0.8;
/** The RMS as a share of full scale. Softer sound is not compared. */
const LOUD_RMS = 0.01;

interface Frame {
  readonly atMs: number;
  readonly sequence: number;
  /** 20 ms at 8 kHz. */
  readonly sound: Float32Array;
}

/**
 * For every 20 ms of sound, returns how many milliseconds later a listener hears it from the bot than from the member
 * who said it. Finds the delay by comparing the two sounds where they are loud enough. Expects one speaker whose stream
 * has no gaps.
 */
export async function addedLatencies(
  said: readonly LoggedPacket[],
  played: readonly LoggedPacket[],
): Promise<readonly number[]> {
  const original = await framesOf(said);
  const converted = await framesOf(played);
  const first = original[0];
  if (!first) return [];
  const sound = new Float32Array(original.length * FRAME);
  original.forEach((frame, index) => sound.set(frame.sound, index * FRAME));
  // Frames are sent every 20 ms, but their arrival times vary because of the operating system's scheduling.
  const starts = original.map(({ atMs }, index) => atMs - index * VOICE.frameMs).toSorted((a, b) => a - b);
  const startMs = starts[Math.floor(starts.length / 2)] ?? first.atMs;
  let near: number | undefined;
  return converted.flatMap((frame, index) => {
    const window = windowAt(converted, index);
    if (!window) return [];
    const heardMs = frame.atMs - startMs;
    const position = find(window, sound, heardMs, near);
    if (position === undefined) return [];
    const added = heardMs - position / PER_MS;
    near = added;
    return [added];
  });
}

async function framesOf(packets: readonly LoggedPacket[]): Promise<readonly Frame[]> {
  using decoder = await createDecoder({ channels: 1, sampleRate: VOICE.rateHz });
  return packets.map(({ opus, atMs, sequence }) => {
    const samples = opus ? decoder.decode(opus) : new Int16Array(VOICE.frame);
    const sound = new Float32Array(FRAME);
    for (let n = 0; n < samples.length; n++) {
      sound[Math.floor(n / DOWN)] = (sound[Math.floor(n / DOWN)] ?? 0) + (samples[n] ?? 0) / DOWN / 32_768;
    }
    return { atMs, sequence, sound };
  });
}

function windowAt(frames: readonly Frame[], index: number): Float32Array | undefined {
  const part = frames.slice(index, index + WINDOW_FRAMES);
  const [first, last] = [part[0], part.at(-1)];
  if (!first || !last || ((last.sequence - first.sequence) & 0xffff) !== WINDOW_FRAMES - 1) return undefined;
  const window = new Float32Array(WINDOW);
  part.forEach(({ sound }, at) => window.set(sound, at * FRAME));
  return Math.sqrt(energy(window, 0) / WINDOW) < LOUD_RMS ? undefined : window;
}

/** Returns the position of the window in `sound`. Searches near the previous position first, then everywhere. */
function find(
  window: Float32Array,
  sound: Float32Array,
  heardMs: number,
  nearMs: number | undefined,
): number | undefined {
  if (nearMs !== undefined) {
    for (const away of NEAR_MS) {
      const found = best(window, sound, heardMs - nearMs - away, heardMs - nearMs + away);
      if (found !== undefined) return found;
    }
  }
  return best(window, sound, heardMs - LATENCY_MS_MAX, heardMs + EARLY_MS_MAX);
}

function best(window: Float32Array, sound: Float32Array, fromMs: number, toMs: number): number | undefined {
  const from = Math.max(0, Math.floor(fromMs * PER_MS));
  const to = Math.min(sound.length - WINDOW, Math.ceil(toMs * PER_MS));
  const own = energy(window, 0);
  let most = LIKENESS_MIN;
  let position: number | undefined;
  for (let at = from; at <= to; at++) {
    let product = 0;
    for (let n = 0; n < WINDOW; n++) product += (window[n] ?? 0) * (sound[at + n] ?? 0);
    if (product <= 0) continue;
    const likeness = product / Math.sqrt(own * energy(sound, at) + 1e-12);
    if (likeness <= most) continue;
    most = likeness;
    position = at;
  }
  return position;
}

function energy(sound: Float32Array, at: number): number {
  let sum = 0;
  for (let n = 0; n < WINDOW; n++) sum += (sound[at + n] ?? 0) ** 2;
  return sum;
}
