import { FADE, FRAME_MS, MS, PIECE_MS_MAX, QUEUE_MS_MAX } from './playout-units.ts';
import { SlackWindow } from './slack-window.ts';
import type { StartPolicy } from './start-policy.ts';
import type { WaitingSpeech } from './waiting-speech.ts';

/** More than this does not wait, apart from two pieces of the size that arrives. */
const CAP_MS = 200;
/** Frames of a window at whose end the policy learns how much waiting was never needed. */
const WINDOW_FRAMES = 50;
/** Frames after which it looks whether far too much waits, and how much that is. */
const HASTE_FRAMES = 10;
const HASTE_MS = 50;
/** Above this excess voices are shortened too, and not only pauses. */
const EXCESS_MS_IN_VOICE = 30;
/** Above this excess voices are shortened in each frame, and below it in every second one. */
const FAR_MS = 150;
/** This much of an allowance is used up in each frame: a voice can be shortened by about as much. */
const ALLOWANCE_PER_FRAME = 4 * MS;
/** The share of the largest piece that is still remembered when the next one arrives. */
const PIECE_KEPT = 0.99;

/** Decides how much of the waiting speech is left out, so that it is heard soon after it arrives. Counts in samples. */
export class CatchUpPolicy {
  readonly #slack = new SlackWindow(WINDOW_FRAMES);
  /** The size of the largest piece lately. */
  #piece = 0;
  /** How much more may wait for now. */
  #allowance = 0;
  /** How much of what waits is too much. */
  #excess = 0;
  /** The shortest time that samples lately arrived before they were needed, and the frames that it was taken from. */
  #leastLatelyMs = Infinity;
  #hasteFrames = 0;
  #hasSkipped = false;
  #isVoiceTurn = false;

  /** By how much all frames could be played earlier without running out, in milliseconds. */
  spareMs({ safetyMs }: StartPolicy): number {
    const { leastMs } = this.#slack;
    return leastMs === Infinity ? 0 : Math.max(0, leastMs - safetyMs);
  }

  /** A piece of `count` samples has arrived. */
  arrived(count: number): void {
    this.#piece = Math.min(PIECE_MS_MAX * MS, Math.max(count, this.#piece * PIECE_KEPT));
  }

  /** Lets this much more speech wait for now. */
  allow(ms: number): void {
    this.#allowance = Math.min(QUEUE_MS_MAX - CAP_MS, ms) * MS;
  }

  /** Frames were not played: a few frames will show whether the speech for them is too much now. */
  skipped(): void {
    this.#hasSkipped = true;
    this.#forgetLately();
  }

  /** A new stretch of speech starts. */
  restart(): void {
    this.#slack.clear();
    this.#forgetLately();
    this.#excess = 0;
  }

  /** All frames are played this much earlier from now on. */
  advance(ms: number): void {
    this.#slack.lessen(ms);
    this.#leastLatelyMs -= ms;
  }

  /** Notes that samples were left out, so that those after them are played earlier. */
  leftOut(gone: number): void {
    this.#excess = Math.max(0, this.#excess - gone);
    this.advance(gone / MS);
  }

  /** Leaves out what is too much, so that `frames` samples and a fade stay; returns how many samples are gone. */
  shorten(speech: WaitingSpeech, frames: number): number {
    this.#allowance = Math.max(0, this.#allowance - ALLOWANCE_PER_FRAME);
    const spare = speech.length - frames - FADE;
    const over = Math.ceil(spare - CAP_MS * MS - 2 * this.#piece - this.#allowance);
    if (over > 0) return speech.leaveOutQuietest(over);
    const most = Math.min(Math.floor(this.#excess), spare, frames);
    if (most < FADE) return 0;
    const isQuiet = speech.isQuiet(most + FADE);
    this.#isVoiceTurn = !this.#isVoiceTurn || this.#excess > FAR_MS * MS;
    if (isQuiet) return speech.leaveOutFirst(most);
    const isTurn = this.#isVoiceTurn && this.#excess > EXCESS_MS_IN_VOICE * MS;
    return isTurn ? speech.leaveOutPeriod(most) : 0;
  }

  /**
   * Learns from a frame of `frames` samples that was played, and from how long before they were needed its samples
   * arrived, how much waiting was never needed. Returns true at the end of each window.
   */
  learn(slackMs: number, frames: number, { startMs, safetyMs }: StartPolicy): boolean {
    this.#leastLatelyMs = Math.min(this.#leastLatelyMs, slackMs);
    if (++this.#hasteFrames >= HASTE_FRAMES + (2 * this.#piece) / frames) {
      const far = this.#leastLatelyMs - startMs;
      if (far > (this.#hasSkipped ? FRAME_MS : HASTE_MS) && far < Infinity) this.#excess = wholeFrames(far);
      this.#forgetLately();
      this.#hasSkipped = false;
    }
    if (!this.#slack.add(slackMs)) return false;
    // Whole frames are left out. The rest of the time lets the ticks come earlier.
    this.#excess = Math.max(this.#excess, wholeFrames(this.#slack.leastMs - safetyMs));
    return true;
  }

  #forgetLately(): void {
    this.#leastLatelyMs = Infinity;
    this.#hasteFrames = 0;
  }
}

/** Samples of as many whole frames as fit into a time; none if the time is not known. */
function wholeFrames(ms: number): number {
  return ms === Infinity ? 0 : Math.max(0, Math.floor(ms / FRAME_MS)) * FRAME_MS * MS;
}
