import { type NodeAv, mustSucceed } from './node-av.ts';

/** Changes the sample rate of a mono stream with FFmpeg's polyphase resampler. */
export class Resampler implements Disposable {
  readonly fromHz: number;
  readonly #av: NodeAv;
  readonly #context: InstanceType<NodeAv['SoftwareResampleContext']>;
  readonly #toHz: number;

  constructor(av: NodeAv, fromHz: number, toHz: number) {
    this.#av = av;
    this.fromHz = fromHz;
    this.#toHz = toHz;
    this.#context = new av.SoftwareResampleContext();
    const mono = av.AV_CHANNEL_LAYOUT_MONO;
    const float = av.AV_SAMPLE_FMT_FLTP;
    const code = this.#context.allocSetOpts2(mono, float, toHz, mono, float, fromHz);
    mustSucceed(av, code, 'resample the sound');
    mustSucceed(av, this.#context.init(), 'resample the sound');
  }

  /** Returns the samples that are ready. The last few milliseconds follow with the next call or with `end`. */
  next(samples: Float32Array): Float32Array {
    if (this.fromHz === this.#toHz) return samples;
    const { buffer, byteOffset, byteLength } = samples;
    return this.#convert([Buffer.from(buffer, byteOffset, byteLength)], samples.length);
  }

  /** Returns the remaining samples. */
  end(): Float32Array {
    return this.fromHz === this.#toHz ? new Float32Array(0) : this.#convert(null, 0);
  }

  [Symbol.dispose](): void {
    this.#context.free();
  }

  #convert(input: Buffer[] | null, count: number): Float32Array {
    const room = this.#context.getOutSamples(count);
    const out = new Float32Array(Math.max(1, room));
    const written = this.#context.convertSync([Buffer.from(out.buffer)], out.length, input, count);
    mustSucceed(this.#av, written, 'resample the sound');
    return out.subarray(0, written);
  }
}
