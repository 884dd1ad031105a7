import { readFile } from 'node:fs/promises';
import { onTestFinished } from 'vitest';
import { alignEnvelopes, energyEnvelope } from '../../../../src/audio/energy-envelope.ts';
import { OpusDecoder } from '../../../../src/audio/opus-decoder.ts';
import {
  FRAME,
  FRAME_MS,
  OpusSpeechEncoder,
  SPEECH_RATE_HZ,
} from '../../../../src/audio/opus-speech-encoder.ts';
import { toFloat, toPcm } from '../../../../src/audio/pcm.ts';
import { readWav } from '../../../../src/audio/wav.ts';
import type { Clock } from '../../../../src/base/clock.ts';
import { FakeClock } from '../../../helpers/fake-clock.ts';
import { silentLogger } from '../../../../src/base/log.ts';
import { ZERO } from '../../../../src/base/money.ts';
import { VoiceRoom } from '../../../../src/bot/sessions/voice-swap/voice-room.ts';
import type { CloseReason, LineEnd } from '../../../../src/bot/sessions/line-end.ts';
import type { LineStanding } from '../../../../src/bot/sessions/line-standing.ts';
import type { VoiceLine } from '../../../../src/bot/sessions/voice-line.ts';
import type {
  EndpointCounts,
  VoiceEndpoint,
  VoiceMember,
} from '../../../../src/bot/sessions/voice-swap/voice-endpoint.ts';
import type { SpeechPacket } from '../../../../src/bot/sessions/voice-swap/speech-packet.ts';

/** An in-memory endpoint. Tests deliver packets to it, and it records the packets that the bot speaks, with times. */
export class MemoryEndpoint implements VoiceEndpoint {
  readonly guildId = '1';
  readonly channelId = '2';
  readonly members: readonly VoiceMember[] = [];
  readonly counts: EndpointCounts = {
    undecryptable: 0,
    stillEncrypted: 0,
    foreign: 0,
    recoveries: 0,
    rejoins: 0,
  };
  readonly spoken: { readonly opus: Uint8Array; readonly atMs: number }[] = [];
  /** The number of packets spoken up to the end of each stretch of speech. */
  readonly hushes: number[] = [];
  readonly #clock: Clock;
  readonly #listeners = new Map<string, (packet: SpeechPacket) => void>();
  isBroken = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get heard(): readonly string[] {
    return [...this.#listeners.keys()];
  }

  hear(userId: string, listener: (packet: SpeechPacket) => void): Disposable {
    this.#listeners.set(userId, listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(userId) };
  }

  deliver(userId: string, packet: SpeechPacket): void {
    this.#listeners.get(userId)?.(packet);
  }

  speak(opus: Uint8Array): boolean {
    if (this.isBroken) return false;
    this.spoken.push({ opus, atMs: this.#clock.monotonic() });
    return true;
  }

  hush(): void {
    this.hushes.push(this.spoken.length);
  }

  onEvent(): Disposable {
    return { [Symbol.dispose]: () => undefined };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#listeners.clear();
  }
}

export interface EchoOptions {
  readonly sampleRateHz?: number;
  readonly chunkFrames?: number;
  /** Returns the delay that the service and the network add to a chunk, in milliseconds. */
  readonly delayMs?: () => number;
}

/** A line whose service repeats everything after a delay. */
export class EchoLine implements VoiceLine {
  readonly id = 'echo';
  readonly sampleRateHz: number;
  readonly chunkFrames: number;
  readonly sent: Int16Array[] = [];
  readonly standing: LineStanding = {
    meteredMs: 0,
    quietMs: 0,
    leftMs: 60_000,
    estimate: ZERO,
    held: ZERO,
  };
  readonly #clock: Clock;
  readonly #delayMs: () => number;
  #converted: (samples: Int16Array) => void = () => undefined;
  readonly #enders: ((end: LineEnd) => void)[] = [];
  #lastMs = 0;
  isStalled = false;
  isClosed = false;

  constructor(
    clock: Clock,
    { sampleRateHz = 48_000, chunkFrames = 960, delayMs = () => 50 }: EchoOptions = {},
  ) {
    this.#clock = clock;
    this.sampleRateHz = sampleRateHz;
    this.chunkFrames = chunkFrames;
    this.#delayMs = delayMs;
  }

  get frames(): number {
    return this.sent.reduce((sum, chunk) => sum + chunk.length, 0);
  }

  send(samples: Int16Array): boolean {
    if (this.isStalled || this.isClosed) return false;
    this.sent.push(samples);
    // Chunks stay in order, as on a socket: no chunk overtakes a delayed one.
    this.#lastMs = Math.max(this.#lastMs, this.#clock.monotonic() + this.#delayMs());
    this.#clock.after(this.#lastMs - this.#clock.monotonic(), () => {
      if (!this.isClosed) this.#converted(samples);
    });
    return true;
  }

  onConverted(listener: (samples: Int16Array) => void): void {
    this.#converted = listener;
  }

  onEnd(listener: (end: LineEnd) => void): void {
    this.#enders.push(listener);
  }

  async close(reason: CloseReason): Promise<void> {
    this.end({ kind: 'closed', reason });
  }

  end(end: LineEnd): void {
    if (this.isClosed) return;
    this.isClosed = true;
    for (const tell of this.#enders) tell(end);
  }
}

/** A member who speaks in packets of 20 ms. */
export class Talker {
  readonly userId: string;
  readonly #endpoint: MemoryEndpoint;
  #sequence = 65_530;
  #timestamp = 2 ** 32 - 4800;
  ssrc = 1;

  constructor(endpoint: MemoryEndpoint, userId: string) {
    this.#endpoint = endpoint;
    this.userId = userId;
  }

  /** Returns the next packet of the stream; the caller delivers it. */
  packet(opus: Uint8Array): SpeechPacket {
    const packet = { opus, sequence: this.#sequence, timestamp: this.#timestamp, ssrc: this.ssrc };
    this.#sequence = (this.#sequence + 1) % 65_536;
    this.#timestamp = (this.#timestamp + FRAME) % 2 ** 32;
    return packet;
  }

  say(opus: Uint8Array): void {
    this.#endpoint.deliver(this.userId, this.packet(opus));
  }
}

/** The clock of a process that stalls once: timers that fall due during the stall fire at its end. */
export class StallingClock implements Clock {
  readonly #clock: Clock;
  readonly #fromMs: number;
  readonly #untilMs: number;

  /** Stalls from `fromMs` to `untilMs`, in the inner clock's monotonic time. */
  constructor(clock: Clock, fromMs: number, untilMs: number) {
    this.#clock = clock;
    this.#fromMs = fromMs;
    this.#untilMs = untilMs;
  }

  now(): number {
    return this.#clock.now();
  }

  monotonic(): number {
    return this.#clock.monotonic();
  }

  after(delayMs: number, fire: () => void): ReturnType<Clock['after']> {
    const atMs = this.monotonic() + delayMs;
    const isStalled = atMs >= this.#fromMs && atMs < this.#untilMs;
    return this.#clock.after(isStalled ? this.#untilMs - this.monotonic() : delayMs, fire);
  }
}

export interface UsedRoom {
  readonly clock: FakeClock;
  readonly endpoint: MemoryEndpoint;
  readonly room: VoiceRoom;
  readonly talker: Talker;
}

/** Creates a room in simulated time. Its clock stalls between the two times in `stall`, in ms after the start. */
export async function useRoom({
  stall = [0, 0],
}: { stall?: readonly [number, number] } = {}): Promise<UsedRoom> {
  const clock = new FakeClock();
  const endpoint = new MemoryEndpoint(clock);
  const startMs = clock.monotonic();
  const own = new StallingClock(clock, startMs + stall[0], startMs + stall[1]);
  const room = new VoiceRoom({ listening: endpoint, speaking: endpoint, clock: own, log: silentLogger });
  onTestFinished(() => room[Symbol.asyncDispose]());
  await OpusSpeechEncoder.open().then((encoder) => encoder[Symbol.dispose]());
  return { clock, endpoint, room, talker: new Talker(endpoint, 'alice') };
}

/** Makes the talker say the packets in simulated time, one per frame. */
export async function speak(clock: FakeClock, talker: Talker, packets: readonly Uint8Array[]): Promise<void> {
  for (const opus of packets) {
    talker.say(opus);
    await clock.advance(FRAME_MS);
  }
}

/** Returns the sample speech at 48 kHz. */
export async function readSpeech(): Promise<Float32Array> {
  const { pcm } = readWav(await readFile(new URL('../../../samples/speech-man-48k.wav', import.meta.url)));
  const samples = new Float32Array(pcm.length);
  toFloat(pcm, samples);
  return samples;
}

export function sine(hz: number, frames: number, sampleRateHz: number = 48_000): Float32Array {
  return Float32Array.from(
    { length: frames },
    (_, n) => 0.3 * Math.sin((2 * Math.PI * hz * n) / sampleRateHz),
  );
}

/** Encodes the samples as packets of 20 ms. */
export async function encode(samples: Float32Array): Promise<Uint8Array[]> {
  using encoder = await OpusSpeechEncoder.open();
  return Array.from({ length: Math.floor(samples.length / FRAME) }, (_, n) =>
    encoder.encode(samples.subarray(n * FRAME, (n + 1) * FRAME)),
  );
}

/** Returns the sound that a listener hears: each packet at its time, silence in between. */
export async function listen(endpoint: MemoryEndpoint): Promise<Float32Array> {
  using decoder = await OpusDecoder.open(48_000);
  const [first, last] = [endpoint.spoken[0], endpoint.spoken.at(-1)];
  if (!first || !last) return new Float32Array(0);
  const output = new Float32Array(Math.ceil((last.atMs - first.atMs) * 48) + 2 * FRAME);
  let at = 0;
  for (const { opus, atMs } of endpoint.spoken) {
    at = Math.max(at, Math.round((atMs - first.atMs) * 48));
    const sound = decoder.decode(opus) ?? new Float32Array(FRAME);
    if (at + sound.length <= output.length) output.set(sound, at);
    at += sound.length;
  }
  return output;
}

/** Returns the root mean square of each frame of 20 ms. */
export function frameLevels(samples: Float32Array): number[] {
  return Array.from({ length: Math.floor(samples.length / FRAME) }, (_, n) =>
    Math.sqrt(samples.subarray(n * FRAME, (n + 1) * FRAME).reduce((sum, x) => sum + x * x, 0) / FRAME),
  );
}

/** `wordLikeness` tries a wide range of shifts, because it does not know when the second sound starts. */
const WORDS = { partMs: 1_000, fromMs: -500, toMs: 1_000 };

/** Returns the similarity of the words in two sounds, -1 to 1, wherever the second one starts. */
export function wordLikeness(said: Float32Array, heard: Float32Array): number {
  const [first, second] = [said, heard].map((sound) => {
    const pcm = new Int16Array(sound.length);
    toPcm(sound, pcm);
    return energyEnvelope(pcm, SPEECH_RATE_HZ);
  });
  return first && second ? alignEnvelopes(first, second, WORDS).likeness : 0;
}
