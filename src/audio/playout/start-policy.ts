import { MS } from './playout-units.ts';
import type { WaitingSpeech } from './waiting-speech.ts';

/**
 * The delay in milliseconds between the arrival of the first samples in a stretch of speech and their playback. The
 * policy adapts it between the bounds.
 */
const START_MS = 20;
const START_MS_MIN = 10;
const START_MS_MAX = 100;
/**
 * How early samples should arrive before they are needed, in milliseconds. It grows by a step, up to the maximum,
 * whenever samples arrive too late.
 */
const SAFETY_MS = 10;
const SAFETY_MS_MAX = 40;
const SAFETY_STEP_MS = 10;
/** How much the safety margin shrinks after each window in which speech did not run out, in milliseconds. */
const FORGOTTEN_MS = 0.3;
/** If the gap between samples is longer than this, in milliseconds, they are a new stretch of speech and not late. */
const PAUSE_MS = 150;
/** A remainder shorter than a frame is played if nothing follows it for this long, in milliseconds. */
const REST_MS = 60;

type StartState =
  | { readonly kind: 'idle' }
  | { readonly kind: 'due'; readonly atMs: number }
  | { readonly kind: 'playing' }
  /** Speech ran out at `sinceMs`. `lateMs` is the delay of the samples that arrived since then, or 0. */
  | { readonly kind: 'starved'; readonly sinceMs: number; readonly lateMs: number };

const IDLE: StartState = { kind: 'idle' };
const PLAYING: StartState = { kind: 'playing' };

/**
 * Decides when a stretch of speech starts, and whether it continues after it has run out. If speech arrived too late,
 * the next stretch starts later.
 */
export class StartPolicy {
  #state: StartState = IDLE;
  #startMs = START_MS;
  #safetyMs = SAFETY_MS;
  #underruns = 0;

  /**
   * The time at which the first frame of a stretch of speech should be played, or undefined if none is about to start.
   */
  get dueMs(): number | undefined {
    return this.#state.kind === 'due' ? this.#state.atMs : undefined;
  }

  /** Whether the caller must pull frames, now or soon. */
  get isActive(): boolean {
    return this.#state.kind !== 'idle';
  }

  get isPlaying(): boolean {
    return this.#state.kind === 'playing';
  }

  /** How long the first samples of a stretch of speech wait, in milliseconds. */
  get startMs(): number {
    return this.#startMs;
  }

  /** How early samples should arrive before they are needed, in milliseconds. */
  get safetyMs(): number {
    return this.#safetyMs;
  }

  /** The number of times that silence was played in the middle of speech because the speech arrived too late. */
  get underruns(): number {
    return this.#underruns;
  }

  /** Records that samples have arrived. */
  arrived(nowMs: number): void {
    const state = this.#state;
    if (state.kind === 'playing' || state.kind === 'due') return;
    const lateMs = state.kind === 'starved' ? nowMs - state.sinceMs : Infinity;
    if (lateMs > PAUSE_MS) this.#state = { kind: 'due', atMs: nowMs + this.#startMs };
    else this.#state = { kind: 'starved', sinceMs: nowMs - lateMs, lateMs };
  }

  /** Returns whether a frame of `frames` samples can be played now. The caller must call it once per frame. */
  isReady(speech: WaitingSpeech, frames: number, nowMs: number): boolean {
    const state = this.#state;
    switch (state.kind) {
      case 'idle':
        return false;
      case 'due':
        // This tick is the nearest to the planned time: at most half a frame early or late.
        return nowMs + frames / MS / 2 > state.atMs;
      case 'playing':
        return true;
      case 'starved':
        return this.#isFed(speech, frames, { lateMs: state.lateMs, sinceMs: nowMs - state.sinceMs });
    }
  }

  /** Records that a whole frame was played. */
  played(): void {
    this.#state = PLAYING;
  }

  /** Records that a frame could not be filled. */
  ranOut(nowMs: number): void {
    this.#state = { kind: 'starved', sinceMs: nowMs, lateMs: 0 };
  }

  /** Records that from now on, all frames are played `ms` milliseconds earlier. */
  advance(ms: number): void {
    this.#startMs = Math.max(START_MS_MIN, this.#startMs - ms);
  }

  /** Records a window in which speech did not run out. */
  relax(): void {
    this.#safetyMs = Math.max(SAFETY_MS, this.#safetyMs - FORGOTTEN_MS);
  }

  /** Whether speech that ran out `sinceMs` milliseconds ago continues. */
  #isFed(
    speech: WaitingSpeech,
    frames: number,
    { lateMs, sinceMs }: { readonly lateMs: number; readonly sinceMs: number },
  ): boolean {
    if (speech.length >= frames) {
      // Silence that arrives late does not count: it follows each stretch of speech, and members do not notice when it
      // is missing.
      if (speech.isQuiet(frames)) return true;
      this.#underruns++;
      this.#startMs = Math.min(START_MS_MAX, this.#startMs + lateMs);
      this.#safetyMs = Math.min(SAFETY_MS_MAX, this.#safetyMs + SAFETY_STEP_MS);
      return true;
    }
    if (speech.length > 0) return sinceMs >= REST_MS;
    if (sinceMs > PAUSE_MS) this.#state = IDLE;
    return false;
  }
}
