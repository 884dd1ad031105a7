import { ChunkCutter } from '../../../audio/chunk-cutter.ts';
import { type OpusRate, opusRate } from '../../../audio/opus-decoder.ts';
import { Resampler } from '../../../audio/resampler.ts';
import { type DecodingCounts, SpeechDecoder } from '../../../audio/speech-decoder.ts';
import type { Clock } from '../../../base/clock.ts';
import type { OrderedPacket } from './packet-order.ts';
import type { Arrival } from './speech-inbox.ts';
import type { VoiceLine } from '../voice-line.ts';

/** After this many milliseconds without packets, speech counts as paused, and the open chunk is filled with silence. */
const PAUSE_MS = 80;
/**
 * After a pause begins, this many milliseconds of silence, including the silence in the open chunk, are sent in real
 * time, so that the service delivers the rest.
 */
const FLUSH_MS = 300;
const PACKET_MS = 20;
const FASTEST: OpusRate = 48_000;

interface UplinkCounts extends DecodingCounts {
  /** Chunks that the line did not accept. */
  readonly refused: number;
}

/** Decodes one member's packets and sends the samples over a line. Its creator disposes of it. */
export class Uplink implements Disposable {
  readonly #line: VoiceLine;
  readonly #clock: Clock;
  readonly #decoder: SpeechDecoder;
  readonly #resampler: Resampler | undefined;
  readonly #cutter: ChunkCutter;
  readonly #ownMs: number;
  #resampled = new Float32Array(0);
  #refused = 0;
  #arrivedMs = 0;
  /** When the packet with the first sample of the open chunk arrived. */
  #chunkSinceMs = 0;
  #waitedMs = 0;
  /** When the last packet arrived; `undefined` once the silence that follows it has been sent. */
  #heardMs: number | undefined;
  #flushedMs = 0;

  private constructor(line: VoiceLine, clock: Clock, decoder: SpeechDecoder) {
    const { sampleRateHz, chunkFrames } = line;
    this.#line = line;
    this.#clock = clock;
    this.#decoder = decoder;
    const isDirect = decoder.sampleRateHz === sampleRateHz;
    this.#resampler = isDirect ? undefined : new Resampler(decoder.sampleRateHz, sampleRateHz);
    this.#cutter = new ChunkCutter(sampleRateHz, chunkFrames, (chunk) => this.#send(chunk));
    this.#ownMs = Math.max(0, (1000 * chunkFrames) / sampleRateHz - PACKET_MS);
  }

  static async open(line: VoiceLine, clock: Clock): Promise<Uplink> {
    return new Uplink(line, clock, await SpeechDecoder.open(opusRate(line.sampleRateHz) ?? FASTEST));
  }

  get counts(): UplinkCounts {
    return { ...this.#decoder.counts, refused: this.#refused };
  }

  /** The sample rate of the audio that `take` returns. */
  get heardRateHz(): OpusRate {
    return this.#decoder.sampleRateHz;
  }

  /**
   * How many milliseconds the first sample of the last chunk waited before it was sent, not counting the length of the
   * chunk itself.
   */
  get waitedMs(): number {
    const delay = this.#resampler ? (1000 * this.#resampler.delayFrames) / this.#decoder.sampleRateHz : 0;
    return this.#waitedMs + delay;
  }

  /** Whether `tick` must be called. It may have to send silence after the audio sent so far. */
  get isOpen(): boolean {
    return this.#heardMs !== undefined;
  }

  /** Decodes earlier packets, so that the decoder continues from there. */
  prime(packets: readonly Arrival[]): void {
    for (const { packet } of packets) this.#decode(packet);
  }

  /** Sends the audio of the next packet, and returns that audio. */
  take(packet: OrderedPacket, arrivedMs: number): Float32Array {
    // If silence has already been sent, it has replaced the missing packet.
    if (packet.kind === 'lost' && this.#flushedMs > 0) return new Float32Array(0);
    const sound = this.#decode(packet);
    this.#heardMs = this.#clock.monotonic();
    this.#flushedMs = 0;
    this.#arrivedMs = arrivedMs;
    if (this.#cutter.waiting === 0) this.#chunkSinceMs = arrivedMs;
    this.#push(sound);
    return sound;
  }

  /** Must be called every 20 ms while `isOpen`. */
  tick(nowMs: number): void {
    if (this.#heardMs === undefined || nowMs - this.#heardMs < PAUSE_MS) return;
    const isFirst = this.#flushedMs === 0;
    this.#flushedMs += PACKET_MS;
    if (isFirst) this.#flushedMs += (1000 * this.#cutter.fill()) / this.#line.sampleRateHz;
    else this.#cutter.silence(Math.round((this.#line.sampleRateHz * PACKET_MS) / 1000));
    if (this.#flushedMs <= FLUSH_MS) return;
    this.#cutter.fill();
    this.#heardMs = undefined;
  }

  /** Ends the speech; starting with the next tick, silence makes the service deliver the rest. */
  finish(): void {
    if (this.#heardMs !== undefined) this.#heardMs = -Infinity;
  }

  [Symbol.dispose](): void {
    this.#decoder[Symbol.dispose]();
  }

  #decode(packet: OrderedPacket): Float32Array {
    switch (packet.kind) {
      case 'packet':
        return this.#decoder.decode(packet.packet.opus);
      case 'lost':
        return this.#decoder.lost(packet.next?.opus);
      case 'restart':
        this.#decoder.reset();
        return new Float32Array(0);
    }
  }

  #push(sound: Float32Array): void {
    if (!this.#resampler) return this.#cutter.push(sound);
    const most = this.#resampler.outputFramesMax(sound.length);
    if (this.#resampled.length < most) this.#resampled = new Float32Array(most);
    this.#cutter.push(this.#resampled, this.#resampler.process(sound, this.#resampled));
  }

  #send(chunk: Int16Array): void {
    const waitedMs = this.#clock.monotonic() - this.#chunkSinceMs - this.#ownMs;
    if (this.#flushedMs === 0) this.#waitedMs = Math.max(0, waitedMs);
    this.#chunkSinceMs = this.#arrivedMs;
    if (!this.#line.send(chunk)) this.#refused++;
  }
}
