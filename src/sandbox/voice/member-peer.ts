import type { OpusEncoderHandle } from 'libopus-wasm';
import { type Timer, sleep } from '../../base/clock.ts';
import type { VoiceState } from '../chat/guild.ts';
import type { Call } from './call.ts';
import { type CallPeer, userIdOf } from './call-peer.ts';
import type { RtpPacket } from './rtp.ts';
import {
  FRAME_MS,
  FRAME_SAMPLES,
  SILENCE_FRAME,
  type Speech,
  createSpeechEncoder,
  frameOf,
} from './speech.ts';

const SILENCE_FRAMES = 5;
const SAMPLES_PER_MS = FRAME_SAMPLES / FRAME_MS;
/** After this long without a packet, a spurt of live speech ends. */
const LIVE_PAUSE_MS = 100;
/** If the sender's own timestamps jump by more than this, a new spurt starts. */
const LIVE_STEP_SAMPLES_MAX = 500 * SAMPLES_PER_MS;

/** Packets that are further ahead of real time than this are dropped. */
const LIVE_AHEAD_SAMPLES_MAX = 1_000 * SAMPLES_PER_MS;

/** A spurt of speech that arrives packet by packet. */
interface LiveSpurt {
  /** The sender's timestamp of the last packet. */
  lastTimestamp: number;
  /** The start of the last packet, in samples since joining. */
  at: number;
  /** The timer that ends the spurt. */
  timer: Timer | undefined;
}

/** A member in a call, controlled by the sandbox. It sends speech and records the packets that it receives. */
export class MemberPeer implements CallPeer {
  readonly state: VoiceState;
  readonly #call: Call;
  readonly #leaving = new AbortController();
  readonly #joinedAtMs: number;
  #encoder: OpusEncoderHandle | undefined;
  #ssrc: number;
  #sequence: number;
  #timestampBase: number;
  #isSpeaking = false;
  /** The end of the last speech, in samples since joining. */
  #saidUntil = 0;
  #live: LiveSpurt | undefined;

  constructor(call: Call, state: VoiceState) {
    this.#call = call;
    this.state = state;
    this.#joinedAtMs = call.clock.monotonic();
    this.#ssrc = call.newSsrc();
    this.#sequence = call.random.nextUint32() & 0xffff;
    this.#timestampBase = call.random.nextUint32();
  }

  get ssrc(): number {
    return this.#ssrc;
  }

  get isSpeaking(): boolean {
    return this.#isSpeaking;
  }

  /** Continues with another SSRC, as after a reconnection. */
  changeSsrc(): void {
    this.#ssrc = this.#call.newSsrc();
    this.#sequence = this.#call.random.nextUint32() & 0xffff;
    this.#timestampBase = this.#call.random.nextUint32();
  }

  /**
   * Speaks in real time, with a packet every 20 ms and five frames of silence at the end. Resolves when the speech
   * ends, or when the member leaves. Throws if the member is still speaking.
   */
  async speak(speech: Speech): Promise<void> {
    if (this.#isSpeaking) throw new Error('Cannot speak: the member is still speaking');
    this.#endLive();
    this.#isSpeaking = true;
    try {
      await this.#pace(await this.#framesOf(speech));
    } catch (error) {
      if (!this.#leaving.signal.aborted) throw error;
    } finally {
      this.#isSpeaking = false;
      this.#freeIfGone();
    }
  }

  /**
   * Sends one packet of live speech (20 ms) at once. `timestamp` is on the sender's own clock, in samples. Five frames
   * of silence follow after 100 ms without a packet. Returns false if the packet is dropped, because the member is
   * speaking something else or has left, or because its timestamp is too far ahead of real time.
   */
  stream(opus: Uint8Array, timestamp: number): boolean {
    if (this.#isSpeaking || this.#leaving.signal.aborted) return false;
    const before = this.#live;
    const step = before ? (timestamp - before.lastTimestamp) >>> 0 : 0;
    if (before && (step === 0 || step > LIVE_STEP_SAMPLES_MAX)) this.#endLive();
    const live = this.#live ?? this.#newLive(timestamp);
    const at = live.at + ((timestamp - live.lastTimestamp) >>> 0);
    if (at > this.#elapsed() + LIVE_AHEAD_SAMPLES_MAX) return false;
    this.#live = live;
    live.timer?.cancel();
    live.timer = this.#call.clock.after(LIVE_PAUSE_MS, () => this.#endLive(), { background: true });
    live.lastTimestamp = timestamp;
    live.at = at;
    this.#send(opus, at);
    return true;
  }

  receive(packet: RtpPacket, speakerId: string): Uint8Array | null {
    const { ssrc, sequence, timestamp, frame } = packet;
    const plain = this.#call.encryption.open(userIdOf(this), speakerId, frame);
    const atMs = this.#call.clock.monotonic();
    const logged = { ssrc, sequence, timestamp, atMs, sizeBytes: frame.byteLength, opus: plain };
    this.#call.keepHeard(userIdOf(this), speakerId, logged);
    return plain;
  }

  othersJoined(): void {}

  otherLeft(): void {}

  /** Ends the member's speech, because the member has left the call. */
  gone(): void {
    this.#leaving.abort(new Error('Cannot continue to speak: the member left'));
    this.#live?.timer?.cancel();
    this.#live = undefined;
    if (!this.#isSpeaking) this.#freeIfGone();
  }

  #newLive(timestamp: number): LiveSpurt {
    const at = Math.max(this.#elapsed(), this.#saidUntil);
    return { lastTimestamp: timestamp, at, timer: undefined };
  }

  /** Returns the samples since joining. */
  #elapsed(): number {
    return Math.round((this.#call.clock.monotonic() - this.#joinedAtMs) * SAMPLES_PER_MS);
  }

  #endLive(): void {
    const live = this.#live;
    if (!live) return;
    live.timer?.cancel();
    this.#live = undefined;
    for (let index = 1; index <= SILENCE_FRAMES; index++) {
      this.#send(SILENCE_FRAME, live.at + index * FRAME_SAMPLES);
    }
    this.#saidUntil = live.at + (1 + SILENCE_FRAMES) * FRAME_SAMPLES;
  }

  async #framesOf(speech: Speech): Promise<{ count: number; at: (index: number) => Uint8Array }> {
    if (!(speech instanceof Int16Array)) {
      const { frames } = speech;
      return { count: frames.length, at: (index) => frames[index] ?? SILENCE_FRAME };
    }
    const encoder = (this.#encoder ??= await createSpeechEncoder());
    return {
      count: Math.ceil(speech.length / FRAME_SAMPLES),
      at: (index) => encoder.encode(frameOf(speech, index)),
    };
  }

  async #pace({ count, at }: { count: number; at: (index: number) => Uint8Array }): Promise<void> {
    const startMs = this.#call.clock.monotonic();
    // Timers may fire slightly early, but frames must never overlap.
    const start = Math.max(this.#elapsed(), this.#saidUntil);
    for (let index = 0; index < count + SILENCE_FRAMES; index++) {
      await this.#reach(startMs + index * FRAME_MS);
      this.#send(index < count ? at(index) : SILENCE_FRAME, start + index * FRAME_SAMPLES);
    }
    this.#saidUntil = start + (count + SILENCE_FRAMES) * FRAME_SAMPLES;
    await this.#reach(startMs + (count + SILENCE_FRAMES) * FRAME_MS);
  }

  /** Waits until a point in time. Throws if the member leaves before then. */
  async #reach(atMs: number): Promise<void> {
    const { clock } = this.#call;
    const waitMs = atMs - clock.monotonic();
    if (waitMs > 0) await sleep(clock, waitMs, this.#leaving.signal);
    this.#leaving.signal.throwIfAborted();
  }

  #send(opus: Uint8Array, samples: number): void {
    if (this.state.selfMute) return;
    const frame = this.#call.encryption.seal(userIdOf(this), opus);
    if (!frame) return;
    const packet = {
      ssrc: this.#ssrc,
      sequence: this.#sequence,
      timestamp: (this.#timestampBase + samples) >>> 0,
      frame,
    };
    this.#sequence = (this.#sequence + 1) & 0xffff;
    this.#call.send(this, packet, opus);
  }

  #freeIfGone(): void {
    if (!this.#leaving.signal.aborted) return;
    this.#encoder?.free();
    this.#encoder = undefined;
  }
}
