import { CatchUpPolicy } from './catch-up-policy.ts';
import { fadeOut } from './fade-out.ts';
import { FADE, FRAME_MS, MS, QUEUE_MS_MAX, RATE_HZ } from './playout-units.ts';
import { StartPolicy } from './start-policy.ts';
import { WaitingSpeech } from './waiting-speech.ts';

export interface PlayoutCounts {
  /** The number of times that silence was played in the middle of speech because the speech arrived too late. */
  readonly underruns: number;
  /** The duration of the sound that was left out to catch up, in milliseconds. */
  readonly leftOutMs: number;
}

/**
 * Plays the converted speech of one member in frames at 48 kHz, although the network sometimes delivers it late. Speech
 * waits only as long as was recently necessary: usually 10 to 40 ms, and longer after a late arrival. To shorten the
 * wait again, parts of pauses are left out and, if a lot of speech is waiting, also single periods of the voice.
 */
export class Playout {
  readonly #speech = new WaitingSpeech();
  readonly #start = new StartPolicy();
  readonly #catchUp = new CatchUpPolicy();
  /** The frame that was played last. */
  readonly #heard = new Float32Array(FRAME_MS * MS);
  #waitedMs = 0;

  get counts(): PlayoutCounts {
    return { underruns: this.#start.underruns, leftOutMs: this.#speech.leftOut / MS };
  }

  /**
   * The time at which the first frame of a stretch of speech should be played, or undefined if none is about to start.
   */
  get dueMs(): number | undefined {
    return this.#start.dueMs;
  }

  /** Whether the caller must pull frames, now or soon. */
  get isActive(): boolean {
    return this.#start.isActive;
  }

  /** How long the last frame waited in the playout, in milliseconds. */
  get waitedMs(): number {
    return this.#waitedMs;
  }

  /** The number of milliseconds by which all frames could be played earlier without running out of speech. */
  get spareMs(): number {
    return this.#start.isPlaying ? this.#catchUp.spareMs(this.#start) : 0;
  }

  /** From now on, plays all frames `ms` milliseconds earlier. */
  advance(ms: number): void {
    this.#catchUp.advance(ms);
    this.#start.advance(ms);
  }

  /** Records that frames were skipped. The next few frames show whether too much speech is waiting as a result. */
  skipped(): void {
    this.#catchUp.skipped();
  }

  /**
   * Permits this much more speech to wait, in milliseconds, because speech was held back until it could be converted.
   * The playout soon catches up.
   */
  allow(ms: number): void {
    this.#catchUp.allow(ms);
  }

  push(samples: Float32Array, count: number, nowMs: number): void {
    if (count === 0) return;
    this.#catchUp.arrived(count);
    const over = this.#speech.length + count - QUEUE_MS_MAX * MS;
    if (over > 0) this.#caughtUp(this.#speech.leaveOutOldest(over));
    this.#speech.push(samples, count, nowMs);
    this.#start.arrived(nowMs);
  }

  /** Writes the next frame, or silence if there is none. Returns false if there was nothing to play. */
  pull(frame: Float32Array, nowMs: number): boolean {
    if (!this.#start.isReady(this.#speech, frame.length, nowMs)) {
      frame.fill(0);
      return false;
    }
    const isBeginning = !this.#start.isPlaying;
    if (isBeginning) this.#catchUp.restart();
    this.#caughtUp(this.#catchUp.shorten(this.#speech, frame.length));
    this.#waitedMs = this.#speech.waitedMs(nowMs);
    const slackMs = this.#speech.slackMs(frame.length, nowMs);
    const count = this.#speech.take(frame);
    if (isBeginning) fadeIn(frame);
    if (count < frame.length) this.#breakOff(frame, count, nowMs);
    else this.#goOn(frame, slackMs);
    return true;
  }

  #caughtUp(gone: number): void {
    if (gone === 0) return;
    this.#catchUp.leftOut(gone);
    this.#start.advance(gone / MS);
  }

  /** Plays a whole frame. */
  #goOn(frame: Float32Array, slackMs: number): void {
    this.#start.played();
    this.#heard.set(frame);
    this.#speech.noteLoudness(frame);
    if (this.#catchUp.learn(slackMs, frame.length, this.#start)) this.#start.relax();
  }

  /** Plays an incomplete frame: the last sound fades out over the missing end. */
  #breakOff(frame: Float32Array, count: number, nowMs: number): void {
    this.#start.ranOut(nowMs);
    this.#heard.copyWithin(0, count);
    this.#heard.set(frame.subarray(0, count), this.#heard.length - count);
    if (count + FADE <= frame.length) return fadeOut(this.#heard, frame.subarray(count), RATE_HZ);
    // The fade does not fit into the rest of this frame, so the end of the speech itself is faded out.
    frame.fill(0, count);
    for (let n = 1; n <= FADE; n++) frame[count - n] = ((frame[count - n] ?? 0) * n) / FADE;
  }
}

function fadeIn(frame: Float32Array): void {
  for (let n = 0; n < FADE; n++) frame[n] = ((frame[n] ?? 0) * (n + 1)) / FADE;
}
