import type { WireVoiceFormat } from '../../../media-api/wire.ts';
import type { VoiceStream } from '../../engine/voice-swap-engine.ts';
import type { FrameLimits, Line, Place } from '../place.ts';
import { SampleReader, toBytes, toSamples } from './sample-reader.ts';

/**
 * The audio format of a voice session. It is sent to the client as soon as the client connects, and may differ between
 * sessions.
 */
export interface VoiceFormat {
  readonly sampleRateHz: number;
  /** The approximate number of samples that a message should contain. */
  readonly chunkFrames: number;
}

/** These limits accept messages as short as a millisecond and as long as eleven seconds at 48 kHz. */
const VOICE_LIMITS: FrameLimits = {
  frameBytesMax: 2 ** 20,
  framesPerSecondMax: 1_000,
  unreadBytesMax: 2 ** 20,
};

const BYTES_PER_SAMPLE = 2;
/** The length of speech that may wait for the engine. */
const WAITING_SECONDS_MAX = 2;

/**
 * Converts the frames of a voice session: mono 16-bit little-endian samples in both directions, in messages of any
 * size. Without an engine stream, the samples are returned unchanged. With an engine stream, messages that arrive while
 * the engine is busy are converted together afterwards. If more than two seconds of speech are waiting, the oldest
 * messages are dropped, so that the delay stays short.
 */
export class VoicePlace implements Place {
  readonly limits: FrameLimits = VOICE_LIMITS;
  readonly greeting: string;
  readonly #stream: VoiceStream | undefined;
  readonly #waitingBytesMax: number;
  readonly #reader = new SampleReader();
  #waiting: Buffer[] = [];
  #waitingBytes = 0;
  #working = false;
  #closed = false;

  /** Without a `stream`, the voice is returned unchanged. */
  constructor(format: VoiceFormat, stream: VoiceStream | undefined) {
    this.greeting = JSON.stringify({
      sample_rate: format.sampleRateHz,
      chunk_frames: format.chunkFrames,
    } satisfies WireVoiceFormat);
    this.#waitingBytesMax = format.sampleRateHz * BYTES_PER_SAMPLE * WAITING_SECONDS_MAX;
    this.#stream = stream;
  }

  connect(line: Line): (frame: Buffer) => void {
    const stream = this.#stream;
    return (frame) => {
      const samples = this.#reader.read(frame);
      if (samples.length === 0) return;
      if (!stream) return line.send(samples);
      this.#enqueue(samples);
      if (!this.#working) void this.#work(stream, line);
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    this.#takeAll();
    await this.#stream?.[Symbol.asyncDispose]();
  }

  #enqueue(samples: Buffer): void {
    this.#waiting.push(samples);
    this.#waitingBytes += samples.length;
    while (this.#waitingBytes > this.#waitingBytesMax && this.#waiting.length > 1) {
      this.#waitingBytes -= this.#waiting.shift()?.length ?? 0;
    }
  }

  async #work(stream: VoiceStream, line: Line): Promise<void> {
    this.#working = true;
    try {
      for (let speech = this.#takeAll(); speech.length > 0; speech = this.#takeAll()) {
        const converted = await stream.convert(toSamples(speech));
        if (!this.#closed && converted.length > 0) line.send(toBytes(converted));
      }
    } catch (error) {
      this.#takeAll();
      if (!this.#closed) line.fail('server', error);
    } finally {
      this.#working = false;
    }
  }

  #takeAll(): Buffer {
    const all = Buffer.concat(this.#waiting);
    this.#waiting = [];
    this.#waitingBytes = 0;
    return all;
  }
}
