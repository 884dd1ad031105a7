import { Limiter } from '../../../audio/limiter.ts';
import { FRAME, FRAME_MS, OpusSpeechEncoder, SPEECH_RATE_HZ } from '../../../audio/opus-speech-encoder.ts';
import { peakOf } from '../../../audio/sound-guard.ts';
import type { Clock } from '../../../base/clock.ts';
import type { Logger } from '../../../base/log.ts';
import { DeadlineTicker } from './deadline-ticker.ts';
import type { RoomStats } from './room-stats.ts';
import { Speaker } from './speaker.ts';
import type { VoiceLine } from '../voice-line.ts';
import type { VoiceEndpoint } from './voice-endpoint.ts';

interface VoiceRoomOptions {
  /** The endpoint at which members' speech is received. */
  readonly listening: VoiceEndpoint;
  /** The endpoint at which converted speech is played; often the same as `listening`. The room disposes of neither. */
  readonly speaking: VoiceEndpoint;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Sound below -66 dB counts as silence; after 200 ms of silence, sending stops. */
const SILENT_PEAK = 5e-4;
const SILENT_FRAMES = 10;
const FADE = (5 * SPEECH_RATE_HZ) / 1000;
/** The ticks move earlier by this much per frame while all speech is ready at least this long before it is due. */
const ADVANCE_MS = 0.5;

/**
 * The sound of a voice channel. Sends the speech of connected members over their lines, and mixes and plays the
 * results. The speech of other members is not received, and nothing is sent while there is nothing to hear.
 */
export class VoiceRoom implements AsyncDisposable {
  readonly #options: VoiceRoomOptions;
  readonly #speakers = new Map<string, Speaker>();
  readonly #listeners = new Set<(userId: string) => void>();
  readonly #ticker: DeadlineTicker;
  readonly #limiter = new Limiter(SPEECH_RATE_HZ);
  readonly #mix = new Float32Array(FRAME);
  readonly #frame = new Float32Array(FRAME);
  /** The last 5 ms of speech, fading out, of members who have been disconnected since the previous frame. */
  readonly #ending = new Float32Array(FRAME);
  readonly #encoderOpened: Promise<void>;
  #encoder: OpusSpeechEncoder | undefined;
  #isDisposed = false;
  #isSending = false;
  #silentFrames = 0;
  /** The time at which the first frame of the waiting speech must be played. */
  #firstMs = Infinity;
  #sent = 0;
  #refused = 0;
  #missed = 0;

  constructor(options: VoiceRoomOptions) {
    this.#options = options;
    this.#ticker = new DeadlineTicker(options.clock, FRAME_MS, (nowMs, missed) => this.#tick(nowMs, missed));
    this.#encoderOpened = this.#openEncoder();
  }

  get userIds(): readonly string[] {
    return [...this.#speakers.keys()];
  }

  get stats(): RoomStats {
    return {
      framesSent: this.#sent,
      framesRefused: this.#refused,
      framesMissed: this.#missed,
      latenessP99Ms: this.#ticker.latenessMs(0.99),
      speakers: [...this.#speakers.values()].map(({ stats }) => stats),
    };
  }

  /**
   * Listens to a member and sends their speech over `line`; if it is null, only detects whether they speak. Speech from
   * the last second before the line opened is also sent. If the member already has a line, the new one takes over
   * without losing speech; the promise resolves when the previous line has delivered its last frame. That line must
   * stay open until then, which takes about half a second.
   */
  async connect(userId: string, line: VoiceLine | null): Promise<void> {
    if (this.#isDisposed) return;
    let speaker = this.#speakers.get(userId);
    if (!speaker) {
      speaker = this.#speaker(userId);
      this.#speakers.set(userId, speaker);
    }
    await speaker.connect(line);
  }

  /** Stops listening to a member at once, and ends the playback of their speech. */
  disconnect(userId: string): void {
    const speaker = this.#speakers.get(userId);
    if (!speaker) return;
    if (this.#isSending) this.#fadeOut(speaker);
    speaker[Symbol.dispose]();
    this.#speakers.delete(userId);
  }

  /** Calls `listener` a few times a second while a member speaks, with or without a line. */
  onSpeech(listener: (userId: string) => void): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#isDisposed) return;
    this.#isDisposed = true;
    this.#ticker.stop();
    for (const userId of this.userIds) this.disconnect(userId);
    if (this.#isSending) this.#options.speaking.hush();
    await this.#encoderOpened;
    this.#encoder?.[Symbol.dispose]();
  }

  /** Fades out, over 5 ms, the speech that is due next, so that there is no click. */
  #fadeOut(speaker: Speaker): void {
    const ending = new Float32Array(FRAME);
    speaker.mix(ending, this.#frame, this.#options.clock.monotonic() + FRAME_MS);
    for (let n = 0; n < FADE; n++) {
      this.#ending[n] = (this.#ending[n] ?? 0) + ((ending[n] ?? 0) * (FADE - n)) / FADE;
    }
  }

  #speaker(userId: string): Speaker {
    const { listening, clock, log } = this.#options;
    return new Speaker({
      userId,
      endpoint: listening,
      clock,
      log,
      encoderMs: () => this.#encoder?.lookaheadMs ?? 0,
      onSpeech: (speakerId) => {
        for (const listener of this.#listeners) listener(speakerId);
      },
      wake: (atMs) => this.#wake(atMs),
    });
  }

  async #openEncoder(): Promise<void> {
    try {
      this.#encoder = await OpusSpeechEncoder.open();
    } catch (error) {
      this.#options.log.error({ error }, 'Cannot encode speech');
    }
  }

  /**
   * Starts the ticks if they are not running. If nothing is being sent, no other speech depends on the times of the
   * ticks, so they start exactly at `atMs`, when the first frame must be played.
   */
  #wake(atMs: number | undefined): void {
    if (this.#isDisposed) return;
    if (atMs !== undefined && !this.#isSending) {
      this.#firstMs = Math.min(this.#firstMs, atMs);
      this.#ticker.start(this.#firstMs);
    } else if (!this.#ticker.isRunning) this.#ticker.start(this.#options.clock.monotonic() + FRAME_MS);
  }

  #tick(nowMs: number, missed: number): boolean {
    this.#firstMs = Infinity;
    if (missed > 0) this.#skip(missed);
    this.#mix.set(this.#ending);
    this.#ending.fill(0);
    let isActive = false;
    let spareMs = ADVANCE_MS;
    for (const speaker of this.#speakers.values()) {
      speaker.tick(nowMs);
      speaker.mix(this.#mix, this.#frame, nowMs);
      isActive ||= speaker.isActive;
      spareMs = Math.min(spareMs, speaker.spareMs);
    }
    this.#send();
    if (this.#isSending && spareMs >= ADVANCE_MS) this.#advance(ADVANCE_MS);
    return isActive || this.#isSending;
  }

  #skip(missed: number): void {
    if (this.#isSending) this.#missed += missed;
    for (const speaker of this.#speakers.values()) speaker.skipped();
  }

  /** Moves the ticks earlier, which shortens the delay. All speech is ready early enough for that. */
  #advance(ms: number): void {
    this.#ticker.advance(ms);
    for (const speaker of this.#speakers.values()) speaker.advance(ms);
  }

  #send(): void {
    this.#limiter.process(this.#mix);
    this.#silentFrames = peakOf(this.#mix) > SILENT_PEAK ? 0 : this.#silentFrames + 1;
    if (this.#silentFrames > SILENT_FRAMES || !this.#encoder) return this.#hush();
    if (!this.#isSending && this.#silentFrames > 0) return;
    this.#isSending = true;
    if (this.#options.speaking.speak(this.#encoder.encode(this.#mix))) this.#sent++;
    else this.#refused++;
  }

  #hush(): void {
    if (!this.#isSending) return;
    this.#isSending = false;
    this.#options.speaking.hush();
  }
}
