import { RecentValues } from '../../../audio/recent-values.ts';
import { SpeechDetector } from '../../../audio/speech-detector.ts';
import type { Clock } from '../../../base/clock.ts';
import type { Logger } from '../../../base/log.ts';
import { KeptSpeech } from './kept-speech.ts';
import { LineLeg } from './line-leg.ts';
import { NO_LEG_COUNTS, type SpeakerStats, addLegCounts } from './room-stats.ts';
import { type Arrival, SpeechInbox } from './speech-inbox.ts';
import { SpeechWatch } from './speech-watch.ts';
import type { VoiceLine } from '../voice-line.ts';
import type { VoiceEndpoint } from './voice-endpoint.ts';

interface SpeakerOptions {
  readonly userId: string;
  readonly endpoint: VoiceEndpoint;
  readonly clock: Clock;
  readonly log: Logger;
  /** Returns the lookahead of the channel's encoder in milliseconds. */
  readonly encoderMs: () => number;
  /** Called a few times a second while the member is speaking, with or without a line. */
  readonly onSpeech: (userId: string) => void;
  /**
   * Called when ticks are needed. If a stretch of converted speech must start to play, `atMs` is the time of its start.
   */
  readonly wake: (atMs?: number) => void;
}

/** At most this many kept packets are sent every 20 ms, so that the service is not flooded. */
const KEPT_PER_TICK = 4;
/** A new line takes over at a pause in speech, or after this time at the latest. */
const SWITCH_MS_MAX = 1000;
const PAUSE_MS = 60;
const REPORT_MS = 250;
const REMEMBERED = 3000;

/**
 * Carries one member's speech: receives packets from the endpoint, sends them over the current line, and mixes the
 * converted speech into the channel. Without a line, it only detects whether the member is speaking.
 */
export class Speaker implements Disposable {
  readonly #options: SpeakerOptions;
  readonly #inbox: SpeechInbox;
  readonly #kept: KeptSpeech;
  readonly #detector = new SpeechDetector();
  readonly #added = new RecentValues(REMEMBERED);
  #watch: SpeechWatch | undefined;
  #wanted: VoiceLine | null = null;
  #current: LineLeg | undefined;
  /** The line that takes over at the next pause. */
  #next: { readonly leg: LineLeg; readonly sinceMs: number } | undefined;
  /** Lines that are still delivering the rest of their speech. */
  #past: LineLeg[] = [];
  #pastCounts = NO_LEG_COUNTS;
  #heardMs = -Infinity;
  #reportedAtMs = -Infinity;
  #isDisposed = false;

  constructor(options: SpeakerOptions) {
    this.#options = options;
    this.#kept = new KeptSpeech(options.clock);
    this.#watch = new SpeechWatch(this.#detector);
    this.#inbox = new SpeechInbox({ ...options, onArrival: (arrival) => this.#arrive(arrival) });
  }

  /** Whether `tick` must be called. */
  get isActive(): boolean {
    return this.#next !== undefined || this.#legs().some(({ isActive }) => isActive);
  }

  get stats(): SpeakerStats {
    const { lost, late, reordered, refused } = this.#inbox.counts;
    return {
      userId: this.#options.userId,
      addedP50Ms: this.#added.quantile(0.5),
      addedP95Ms: this.#added.quantile(0.95),
      lost,
      late,
      reordered,
      refusedPackets: refused,
      legs: this.#legs().reduce((sum, { counts }) => addLegCounts(sum, counts), this.#pastCounts),
    };
  }

  /**
   * Sends speech over this line, starting at the next pause. If `line` is null, only detects whether the member is
   * speaking. Resolves once the previous line has delivered its last frame. That line must stay open until then, which
   * takes about half a second.
   */
  async connect(line: VoiceLine | null): Promise<void> {
    if (this.#wanted === line || this.#isDisposed) return;
    this.#wanted = line;
    const before = this.#current;
    this.#dropNext();
    if (line) await this.#prepare(line);
    else this.#rest();
    await before?.done;
  }

  /** Must be called every 20 ms while `isActive`. */
  tick(nowMs: number): void {
    if (this.#next && this.#isTimeToSwitch(this.#next.sinceMs, nowMs)) this.#switch(this.#next.leg);
    this.#sendKept(KEPT_PER_TICK);
    for (const leg of this.#legs()) leg.tick(nowMs);
    this.#dropDone(nowMs);
  }

  /** Adds the next 20 ms of converted speech to the mix, using `frame` as a buffer. Returns false if there is none. */
  mix(mix: Float32Array, frame: Float32Array, nowMs: number): boolean {
    let isPlaying = false;
    for (const { up, down } of this.#legs()) {
      if (!down.pull(frame, nowMs)) continue;
      isPlaying = true;
      for (let n = 0; n < mix.length; n++) mix[n] = (mix[n] ?? 0) + (frame[n] ?? 0);
      this.#added.add(up.waitedMs + down.waitedMs + this.#options.encoderMs());
    }
    return isPlaying;
  }

  /** By how many milliseconds all frames could be mixed earlier without the audio running out. */
  get spareMs(): number {
    return Math.min(...this.#legs().map(({ down }) => down.spareMs));
  }

  /** Mixes all later frames earlier by `ms`. */
  advance(ms: number): void {
    for (const { down } of this.#legs()) down.advance(ms);
  }

  /** Called after frames were missed. The speech that they would have contained may be dropped. */
  skipped(): void {
    for (const { down } of this.#legs()) down.skipped();
  }

  [Symbol.dispose](): void {
    this.#isDisposed = true;
    this.#inbox[Symbol.dispose]();
    this.#watch?.[Symbol.dispose]();
    for (const leg of this.#legs()) leg[Symbol.dispose]();
    this.#kept.clear();
    this.#past = [];
    this.#current = undefined;
    this.#next = undefined;
  }

  #arrive(arrival: Arrival): void {
    this.#heardMs = arrival.arrivedMs;
    const isLive = this.#kept.isEmpty;
    this.#kept.push(arrival);
    const leg = this.#current;
    if (leg && !leg.hasEnded) {
      if (isLive) this.#sendKept(1);
      this.#options.wake();
    } else if (this.#watch?.hear(arrival.packet)) this.#reportSpeech();
  }

  #sendKept(most: number): void {
    const leg = this.#current;
    if (!leg || leg.hasEnded) return;
    for (let left = most; left > 0; left--) {
      const arrival = this.#kept.take();
      if (!arrival) return;
      const sound = leg.up.take(arrival.packet, arrival.arrivedMs);
      if (sound.length > 0 && this.#detector.hear(sound, leg.up.heardRateHz)) this.#reportSpeech();
    }
  }

  #reportSpeech(): void {
    const nowMs = this.#options.clock.monotonic();
    if (nowMs - this.#reportedAtMs < REPORT_MS) return;
    this.#reportedAtMs = nowMs;
    this.#options.onSpeech(this.#options.userId);
  }

  async #prepare(line: VoiceLine): Promise<void> {
    const { clock, log, userId, wake } = this.#options;
    const leg = await LineLeg.open({ line, clock, onDue: wake }).catch((error: unknown) => {
      log.error({ error, userId }, 'Cannot decode speech');
    });
    if (!leg) return;
    if (this.#wanted !== line || this.#isDisposed) return leg[Symbol.dispose]();
    if (this.#current && !this.#current.hasEnded) this.#next = { leg, sinceMs: clock.monotonic() };
    else this.#switch(leg);
    wake();
  }

  #isTimeToSwitch(sinceMs: number, nowMs: number): boolean {
    if (!this.#current || this.#current.hasEnded || nowMs - sinceMs >= SWITCH_MS_MAX) return true;
    return nowMs - this.#heardMs >= PAUSE_MS || !this.#detector.isLoud;
  }

  #switch(leg: LineLeg): void {
    this.#next = undefined;
    if (this.#current) leg.up.prime(this.#kept.before);
    this.#finish(this.#current);
    this.#current = leg;
    this.#watch?.[Symbol.dispose]();
    this.#watch = undefined;
    leg.down.allow(this.#kept.lengthMs);
  }

  #rest(): void {
    this.#finish(this.#current);
    this.#current = undefined;
    this.#watch ??= new SpeechWatch(this.#detector);
  }

  /** Stops sending speech over a line; the rest of its converted speech is still played. */
  #finish(leg: LineLeg | undefined): void {
    if (!leg) return;
    leg.finish(this.#options.clock.monotonic());
    this.#past.push(leg);
    this.#options.wake();
  }

  #dropNext(): void {
    this.#next?.leg[Symbol.dispose]();
    this.#next = undefined;
  }

  #dropDone(nowMs: number): void {
    for (const leg of this.#past.filter((leg) => leg.isDone(nowMs))) {
      leg[Symbol.dispose]();
      this.#pastCounts = addLegCounts(this.#pastCounts, leg.counts);
      this.#past = this.#past.filter((other) => other !== leg);
    }
  }

  #legs(): readonly LineLeg[] {
    return [
      ...(this.#current ? [this.#current] : []),
      ...(this.#next ? [this.#next.leg] : []),
      ...this.#past,
    ];
  }
}
