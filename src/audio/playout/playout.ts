import { ArrivalMarks } from './arrival-marks.ts';
import { fadeAway } from './fade-away.ts';
import { energyOf } from '../likeness.ts';
import { SampleQueue } from '../sample-queue.ts';
import { SlackWindow } from './slack-window.ts';
import { leaveOutPeriod, leaveOutQuietest } from './shorten.ts';

/** Pieces may be this long. */
export const PIECE_MS_MAX = 6000;

/** Samples per millisecond. */
const MS = 48;
const RATE_HZ = 48_000;
const FRAME_MS = 20;
/** A stretch of speech begins this long after its first samples came; learned between the bounds. */
const START_MS = 20;
const START_MS_MIN = 10;
const START_MS_MAX = 100;
/** Samples are there this long before they are needed, and longer after some came too late. */
const SAFETY_MS = 10;
const SAFETY_MS_MAX = 40;
const SAFETY_STEP_MS = 10;
/** Of the longer time, so much is forgotten in each window. */
const FORGOTTEN_MS = 0.3;
/** More never waits, besides two pieces as large as they come. */
const CAP_MS = 200;
const QUEUE_MS_MAX = PIECE_MS_MAX + 500;
/** Whatever comes later after the last sample is another stretch of speech, and no late one. */
const PAUSE_MS = 150;
/** A rest shorter than a frame is played if nothing follows for so long. */
const REST_MS = 60;
/** Frames of a window after which it is judged what was never needed, and after which whether it is far too much. */
const WINDOW_FRAMES = 50;
const HASTE_FRAMES = 10;
const HASTE_MS = 50;
/** From this on also voices are shortened, not only pauses. */
const EXCESS_MS_IN_VOICE = 30;
/** From this on in each frame, else in every second one. */
const FAR_MS = 150;
const QUIET_SHARE = 0.05;
const QUIET_ENERGY = 0.002 ** 2;
const FADE = 2.5 * MS;
/** Of an allowance so much is used up in each frame: what a voice can be shortened by. */
const ALLOWANCE_PER_FRAME = 4 * MS;

type PlayoutState =
  | { readonly kind: 'idle' }
  | { readonly kind: 'due'; readonly atMs: number }
  | { readonly kind: 'playing' }
  | { readonly kind: 'starved'; readonly sinceMs: number; lateMs: number };

export interface PlayoutCounts {
  /** Times that speech came too late, and silence was played in the middle of it. */
  readonly underruns: number;
  /** What was left out to be live again, in milliseconds of sound. */
  readonly leftOutMs: number;
}

/**
 * Plays the converted speech of one member in frames at 48 kHz, as it comes from a network that is late now and then.
 * Speech waits as long as it lately had to be, mostly 10 to 40 ms: longer after some came too late, shorter again by
 * what is left out of pauses, and where much waits, by single periods of the voice.
 */
export class Playout {
  readonly #queue = new SampleQueue(QUEUE_MS_MAX * MS);
  readonly #marks = new ArrivalMarks(RATE_HZ);
  readonly #counts = { underruns: 0, leftOut: 0 };
  readonly #slack = new SlackWindow(WINDOW_FRAMES);
  /** What was played last. */
  readonly #heard = new Float32Array(FRAME_MS * MS);
  #state: PlayoutState = { kind: 'idle' };
  #startMs = START_MS;
  #safetyMs = SAFETY_MS;
  #piece = 0;
  #allowance = 0;
  #excess = 0;
  /** How long before they were needed samples were there, at least: in this window, the last one, and lately. */
  #leastLatelyMs = Infinity;
  #hasteFrames = 0;
  #loudness = 0;
  #isVoiceTurn = false;
  #hasSkipped = false;
  #waitedMs = 0;

  get counts(): PlayoutCounts {
    return { underruns: this.#counts.underruns, leftOutMs: this.#counts.leftOut / MS };
  }

  /** When the first frame of a stretch of speech should be played; undefined if none waits to begin. */
  get dueMs(): number | undefined {
    return this.#state.kind === 'due' ? this.#state.atMs : undefined;
  }

  /** Whether frames have to be taken, now or soon. */
  get isActive(): boolean {
    return this.#state.kind !== 'idle';
  }

  /** How long the last frame waited here, in milliseconds. */
  get waitedMs(): number {
    return this.#waitedMs;
  }

  /** By how much all frames could be played earlier without running out, in milliseconds. */
  get spareMs(): number {
    const { leastMs } = this.#slack;
    return this.#state.kind !== 'playing' || leastMs === Infinity ? 0 : Math.max(0, leastMs - this.#safetyMs);
  }

  /** From now on frames are played this much earlier. */
  advance(ms: number): void {
    this.#slack.lessen(ms);
    this.#leastLatelyMs -= ms;
    this.#startMs = Math.max(START_MS_MIN, this.#startMs - ms);
  }

  /** Frames were missed: what would have been in them may be too much from now on, which shows in a few frames. */
  skipped(): void {
    this.#hasSkipped = true;
    [this.#leastLatelyMs, this.#hasteFrames] = [Infinity, 0];
  }

  /** Lets this much more wait, for speech that was kept until it could be converted; it is made up for soon. */
  allow(ms: number): void {
    this.#allowance = Math.min(QUEUE_MS_MAX - CAP_MS, ms) * MS;
  }

  push(samples: Float32Array, count: number, nowMs: number): void {
    if (count === 0) return;
    this.#piece = Math.min(PIECE_MS_MAX * MS, Math.max(count, this.#piece * 0.99));
    const over = this.#queue.length + count - QUEUE_MS_MAX * MS;
    if (over > 0) this.#forgetOldest(over);
    this.#marks.add(this.#queue.length, nowMs);
    this.#queue.push(samples, count);
    this.#state = this.#afterArrival(nowMs);
  }

  /** Writes the next frame, silence where there is none. False: there was nothing to play. */
  pull(frame: Float32Array, nowMs: number): boolean {
    if (!this.#isReady(frame.length, nowMs)) {
      frame.fill(0);
      return false;
    }
    const isBeginning = this.#state.kind !== 'playing';
    if (isBeginning) this.#forgetSlack();
    this.#catchUp(frame.length);
    this.#waitedMs = this.#marks.waitedMs(nowMs);
    const slackMs = this.#marks.slackMs(frame.length, nowMs);
    const count = this.#queue.take(frame);
    this.#marks.remove(0, count);
    if (isBeginning) fadeIn(frame);
    if (count < frame.length) this.#breakOff(frame, count, nowMs);
    else this.#judge(frame, slackMs);
    return true;
  }

  #afterArrival(nowMs: number): PlayoutState {
    const state = this.#state;
    if (state.kind === 'playing' || state.kind === 'due') return state;
    const lateMs = state.kind === 'starved' ? nowMs - state.sinceMs : Infinity;
    if (lateMs > PAUSE_MS) return { kind: 'due', atMs: nowMs + this.#startMs };
    return { kind: 'starved', sinceMs: nowMs - lateMs, lateMs };
  }

  #isReady(frames: number, nowMs: number): boolean {
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
        return this.#isFed(frames, state.lateMs, nowMs - state.sinceMs);
    }
  }

  /** After speech had run out: whether it goes on. */
  #isFed(frames: number, lateMs: number, sinceMs: number): boolean {
    if (this.#queue.length >= frames) {
      // Late silence is nobody's loss: it comes after each stretch of speech.
      if (this.#isQuiet(frames)) return true;
      this.#counts.underruns++;
      this.#startMs = Math.min(START_MS_MAX, this.#startMs + lateMs);
      this.#safetyMs = Math.min(SAFETY_MS_MAX, this.#safetyMs + SAFETY_STEP_MS);
      return true;
    }
    if (this.#queue.length > 0) return sinceMs >= REST_MS;
    if (sinceMs > PAUSE_MS) this.#state = { kind: 'idle' };
    return false;
  }

  /** The frame's end is missing: what was last heard fades away. */
  #breakOff(frame: Float32Array, count: number, nowMs: number): void {
    this.#state = { kind: 'starved', sinceMs: nowMs, lateMs: 0 };
    this.#heard.copyWithin(0, count);
    this.#heard.set(frame.subarray(0, count), this.#heard.length - count);
    if (count + FADE <= frame.length) return fadeAway(this.#heard, frame.subarray(count), RATE_HZ);
    // There is no room for it in this frame, so its end fades.
    frame.fill(0, count);
    for (let n = 1; n <= FADE; n++) frame[count - n] = ((frame[count - n] ?? 0) * n) / FADE;
  }

  /** How long before they were needed samples were there tells how much of the waiting is never needed. */
  #judge(frame: Float32Array, slackMs: number): void {
    this.#state = { kind: 'playing' };
    this.#heard.set(frame);
    this.#loudness = Math.max(this.#loudness * 0.995, energyOf(frame, 0, frame.length) / frame.length);
    this.#leastLatelyMs = Math.min(this.#leastLatelyMs, slackMs);
    if (++this.#hasteFrames >= HASTE_FRAMES + (2 * this.#piece) / frame.length) {
      const far = this.#leastLatelyMs - this.#startMs;
      if (far > (this.#hasSkipped ? FRAME_MS : HASTE_MS) && far < Infinity) this.#excess = wholeFrames(far);
      [this.#leastLatelyMs, this.#hasteFrames, this.#hasSkipped] = [Infinity, 0, false];
    }
    if (this.#slack.add(slackMs)) this.#learn();
  }

  /** What was never needed by a whole frame is left out; the rest of it the ticks may come earlier by. */
  #learn(): void {
    this.#excess = Math.max(this.#excess, wholeFrames(this.#slack.leastMs - this.#safetyMs));
    this.#safetyMs = Math.max(SAFETY_MS, this.#safetyMs - FORGOTTEN_MS);
  }

  #forgetSlack(): void {
    this.#slack.clear();
    [this.#leastLatelyMs, this.#hasteFrames, this.#excess] = [Infinity, 0, 0];
  }

  /** Leaves out what is too much, so that `frames` samples and a fade stay. */
  #catchUp(frames: number): void {
    this.#allowance = Math.max(0, this.#allowance - ALLOWANCE_PER_FRAME);
    const spare = this.#queue.length - frames - FADE;
    const over = Math.ceil(spare - CAP_MS * MS - 2 * this.#piece - this.#allowance);
    if (over > 0) return this.#leaveOutQuietest(over);
    const most = Math.min(Math.floor(this.#excess), spare, frames);
    if (most < FADE) return;
    const isQuiet = this.#isQuiet(most + FADE);
    if (isQuiet) this.#queue.cut(0, most, FADE);
    this.#isVoiceTurn = !this.#isVoiceTurn || this.#excess > FAR_MS * MS;
    const isTurn = this.#isVoiceTurn && this.#excess > EXCESS_MS_IN_VOICE * MS;
    const gone = isQuiet ? most : isTurn ? leaveOutPeriod(this.#queue, RATE_HZ, most) : 0;
    if (gone > 0) this.#note(0, gone);
  }

  #isQuiet(count: number): boolean {
    const energy = energyOf(this.#queue.waiting, 0, count) / count;
    return energy < Math.max(QUIET_ENERGY, this.#loudness * QUIET_SHARE ** 2);
  }

  #leaveOutQuietest(frames: number): void {
    this.#note(leaveOutQuietest(this.#queue, RATE_HZ, frames), frames);
  }

  #forgetOldest(count: number): void {
    this.#queue.drop(count);
    this.#note(0, count);
  }

  #note(from: number, gone: number): void {
    this.#marks.remove(from, gone);
    this.#counts.leftOut += gone;
    this.#excess = Math.max(0, this.#excess - gone);
    this.advance(gone / MS);
  }
}

/** Samples of as many whole frames as fit into a time; none if it is not known. */
function wholeFrames(ms: number): number {
  return ms === Infinity ? 0 : Math.max(0, Math.floor(ms / FRAME_MS)) * FRAME_MS * MS;
}

function fadeIn(frame: Float32Array): void {
  for (let n = 0; n < FADE; n++) frame[n] = ((frame[n] ?? 0) * (n + 1)) / FADE;
}
