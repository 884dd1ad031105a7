import { MS } from './playout-units.ts';
import type { WaitingSpeech } from './waiting-speech.ts';

/** A stretch of speech starts this long after its first samples arrived; learned between the bounds. */
const START_MS = 20;
const START_MS_MIN = 10;
const START_MS_MAX = 100;
/** Samples arrive this long before they are needed, and longer after some arrived too late. */
const SAFETY_MS = 10;
const SAFETY_MS_MAX = 40;
const SAFETY_STEP_MS = 10;
/** This much of the longer time is forgotten in each window. */
const FORGOTTEN_MS = 0.3;
/** Samples that arrive later than this after the last one are a new stretch of speech, and not late. */
const PAUSE_MS = 150;
/** A rest shorter than a frame is played if nothing follows for this long. */
const REST_MS = 60;

type StartState =
  | { readonly kind: 'idle' }
  | { readonly kind: 'due'; readonly atMs: number }
  | { readonly kind: 'playing' }
  /** Speech ran out at `sinceMs`. What arrived afterwards, if anything, was `lateMs` late. */
  | { readonly kind: 'starved'; readonly sinceMs: number; readonly lateMs: number };

const IDLE: StartState = { kind: 'idle' };
const PLAYING: StartState = { kind: 'playing' };

/**
 * Decides when a stretch of speech starts and whether it goes on after it ran out. Speech that arrives too late makes
 * the next start later.
 */
export class StartPolicy {
  #state: StartState = IDLE;
  #startMs = START_MS;
  #safetyMs = SAFETY_MS;
  #underruns = 0;

  /** When the first frame of a stretch of speech should be played; undefined if none waits to start. */
  get dueMs(): number | undefined {
    return this.#state.kind === 'due' ? this.#state.atMs : undefined;
  }

  /** Whether frames must be taken, now or soon. */
  get isActive(): boolean {
    return this.#state.kind !== 'idle';
  }

  get isPlaying(): boolean {
    return this.#state.kind === 'playing';
  }

  /** How long the first samples of a stretch of speech wait. */
  get startMs(): number {
    return this.#startMs;
  }

  /** How long before they are needed samples should arrive. */
  get safetyMs(): number {
    return this.#safetyMs;
  }

  /** How often silence was played in the middle of speech because it arrived too late. */
  get underruns(): number {
    return this.#underruns;
  }

  /** Samples have arrived. */
  arrived(nowMs: number): void {
    const state = this.#state;
    if (state.kind === 'playing' || state.kind === 'due') return;
    const lateMs = state.kind === 'starved' ? nowMs - state.sinceMs : Infinity;
    if (lateMs > PAUSE_MS) this.#state = { kind: 'due', atMs: nowMs + this.#startMs };
    else this.#state = { kind: 'starved', sinceMs: nowMs - lateMs, lateMs };
  }

  /** Whether a frame of `frames` samples can be played now. Must be asked once for each frame. */
  isReady(speech: WaitingSpeech, frames: number, nowMs: number): boolean {
    const state = this.#state;
    switch (state.kind) {
      case 'idle':
        return false;
      case 'due':
        // The tick nearest to the moment: half a frame early or late.
        return nowMs + frames / MS / 2 > state.atMs;
      case 'playing':
        return true;
      case 'starved':
        return this.#isFed(speech, frames, { lateMs: state.lateMs, sinceMs: nowMs - state.sinceMs });
    }
  }

  /** A whole frame was played. */
  played(): void {
    this.#state = PLAYING;
  }

  /** A frame could not be filled. */
  ranOut(nowMs: number): void {
    this.#state = { kind: 'starved', sinceMs: nowMs, lateMs: 0 };
  }

  /** All frames are played this much earlier from now on. */
  advance(ms: number): void {
    this.#startMs = Math.max(START_MS_MIN, this.#startMs - ms);
  }

  /** A window has passed in which speech did not run out. */
  relax(): void {
    this.#safetyMs = Math.max(SAFETY_MS, this.#safetyMs - FORGOTTEN_MS);
  }

  /** Whether speech goes on that had run out `sinceMs` ago. */
  #isFed(
    speech: WaitingSpeech,
    frames: number,
    { lateMs, sinceMs }: { readonly lateMs: number; readonly sinceMs: number },
  ): boolean {
    if (speech.length >= frames) {
      // Silence may be late: it comes after each stretch of speech, and nobody misses it.
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
