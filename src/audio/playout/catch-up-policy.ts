import { FADE, FRAME_MS, MS, PIECE_MS_MAX, QUEUE_MS_MAX } from './playout-units.ts';
import { SlackWindow } from './slack-window.ts';
import type { StartPolicy } from './start-policy.ts';
import type { WaitingSpeech } from './waiting-speech.ts';

/** The maximum amount of speech that may wait in addition to two pieces of the usual size, in milliseconds. */
const CAP_MS = 200;
/** The number of frames in a window. At its end, the policy knows how much waiting was unnecessary. */
const WINDOW_FRAMES = 50;
/** The number of frames after which the policy checks whether far too much speech waits. */
const HASTE_FRAMES = 10;
const HASTE_MS = 50;
/** Above this excess, not only pauses but also voiced speech is shortened. */
const EXCESS_MS_IN_VOICE = 30;
/** Above this excess, voiced speech is shortened in every frame; below it, in every second frame. */
const FAR_MS = 150;
/** The part of an allowance that expires in each frame, in samples: about as much as voiced speech can be shortened. */
const ALLOWANCE_PER_FRAME = 4 * MS;
/** The share of the remembered largest piece size that is kept each time another piece arrives. */
const PIECE_KEPT = 0.99;

/**
 * Decides how much of the waiting speech is left out, so that members hear it soon after it arrives. Amounts are in
 * samples unless a name ends in `Ms`.
 */
export class CatchUpPolicy {
  readonly #slack = new SlackWindow(WINDOW_FRAMES);
  /** The size of the largest recent piece, in samples. */
  #piece = 0;
  /** How much more speech than usual may wait for now, in samples. */
  #allowance = 0;
  /** How much of the waiting speech is too much, in samples. */
  #excess = 0;
  /**
   * The shortest recent time between the arrival of samples and their playback, and the number of frames over which it
   * was measured.
   */
  #leastLatelyMs = Infinity;
  #hasteFrames = 0;
  #hasSkipped = false;
  #isVoiceTurn = false;

  /** Returns the number of milliseconds by which all frames could be played earlier without running out of speech. */
  spareMs({ safetyMs }: StartPolicy): number {
    const { leastMs } = this.#slack;
    return leastMs === Infinity ? 0 : Math.max(0, leastMs - safetyMs);
  }

  /** Records that a piece of `count` samples has arrived. */
  arrived(count: number): void {
    this.#piece = Math.min(PIECE_MS_MAX * MS, Math.max(count, this.#piece * PIECE_KEPT));
  }

  /** Permits this much more speech to wait for now, in milliseconds. */
  allow(ms: number): void {
    this.#allowance = Math.min(QUEUE_MS_MAX - CAP_MS, ms) * MS;
  }

  /** Records that frames were skipped. The next few frames show whether too much speech is waiting as a result. */
  skipped(): void {
    this.#hasSkipped = true;
    this.#forgetLately();
  }

  /** Prepares for a new stretch of speech. */
  restart(): void {
    this.#slack.clear();
    this.#forgetLately();
    this.#excess = 0;
  }

  /** Records that from now on, all frames are played `ms` milliseconds earlier. */
  advance(ms: number): void {
    this.#slack.lessen(ms);
    this.#leastLatelyMs -= ms;
  }

  /** Records that `gone` samples were left out, so later samples are played earlier. */
  leftOut(gone: number): void {
    this.#excess = Math.max(0, this.#excess - gone);
    this.advance(gone / MS);
  }

  /** Leaves out the excess, but keeps `frames` samples and a fade. Returns the number of samples that were left out. */
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
   * Learns how much waiting was unnecessary. `frames` samples were played, and they had arrived `slackMs` before that.
   * Returns true at the end of each window.
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
    // Only whole frames are left out. The remaining time is gained by ticking earlier.
    this.#excess = Math.max(this.#excess, wholeFrames(this.#slack.leastMs - safetyMs));
    return true;
  }

  #forgetLately(): void {
    this.#leastLatelyMs = Infinity;
    this.#hasteFrames = 0;
  }
}

/** Returns the number of samples in all whole frames that fit into the time, or 0 if the time is not known. */
function wholeFrames(ms: number): number {
  return ms === Infinity ? 0 : Math.max(0, Math.floor(ms / FRAME_MS)) * FRAME_MS * MS;
}
