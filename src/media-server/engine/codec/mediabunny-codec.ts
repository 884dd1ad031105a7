import type * as mediabunny from 'mediabunny';
import { optionalModule } from '../optional-module.ts';
import { RenderError } from '../render-error.ts';
import type {
  ClipInfo,
  Codec,
  ReadVideoOptions,
  VideoFrame,
  VideoWriter,
  WriteVideoOptions,
} from './codec.ts';
import { MediabunnyWriter } from './mediabunny-writer.ts';

type Mediabunny = typeof mediabunny;
type Input = InstanceType<Mediabunny['Input']>;

/** FFmpeg's codecs inside the process (node-av), through mediabunny. */
export class MediabunnyCodec implements Codec {
  readonly #bunny: Mediabunny;

  private constructor(bunny: Mediabunny) {
    this.#bunny = bunny;
  }

  /** Throws an error that names the package that is missing. */
  static async load(): Promise<MediabunnyCodec> {
    const bunny = await optionalModule('mediabunny', import('mediabunny'));
    const server = await optionalModule('@mediabunny/server', import('@mediabunny/server'));
    // Without this it looks for graphics cards, and says so on stderr.
    server.registerMediabunnyServer({ hardwareContext: null });
    return new MediabunnyCodec(bunny);
  }

  async probe(path: string): Promise<ClipInfo> {
    using input = this.#open(path);
    const [video, audio] = await Promise.all([input.getPrimaryVideoTrack(), input.getPrimaryAudioTrack()]);
    const packets = await video?.computePacketStats(PROBE_PACKETS);
    return {
      durationSeconds: await input.computeDuration(),
      video: video
        ? {
            width: video.displayWidth,
            height: video.displayHeight,
            frameRate: packets?.averagePacketRate ?? 0,
          }
        : undefined,
      audio: audio ? { sampleRateHz: audio.sampleRate, channels: audio.numberOfChannels } : undefined,
    };
  }

  async *readVideo(path: string, options: ReadVideoOptions = {}): AsyncGenerator<VideoFrame> {
    using input = this.#open(path);
    const track = await input.getPrimaryVideoTrack();
    if (!track) throw undecodable();
    const { width, height } = evenSize(track.displayWidth, track.displayHeight, options.shorterSide);
    const data = new Uint8Array(width * height * 4);
    for await (const sample of new this.#bunny.VideoSampleSink(track).samples()) {
      using frame = await sample.transform({ width, height, fit: 'fill' });
      const { timestamp, duration } = sample;
      sample.close();
      await frame.copyTo(data, AS_RGBA);
      yield { pixels: { width, height, data }, timestamp, duration };
    }
  }

  async *readAudio(path: string, sampleRateHz: number): AsyncGenerator<Float32Array> {
    using input = this.#open(path);
    const track = await input.getPrimaryAudioTrack();
    if (!track) throw undecodable();
    let position = 0;
    for await (const sample of new this.#bunny.AudioSampleSink(track).samples()) {
      const mono = downmix(sample);
      const step = sample.sampleRate / sampleRateHz;
      sample.close();
      const out = new Float32Array(Math.max(0, Math.ceil((mono.length - position) / step)));
      for (let n = 0; n < out.length; n++, position += step) {
        const at = Math.floor(position);
        const next = mono[Math.min(at + 1, mono.length - 1)] ?? 0;
        out[n] = (mono[at] ?? 0) + (position - at) * (next - (mono[at] ?? 0));
      }
      position -= mono.length;
      yield out;
    }
  }

  async writeVideo(options: WriteVideoOptions): Promise<VideoWriter> {
    return await MediabunnyWriter.start(this.#bunny, options);
  }

  #open(path: string): Input {
    const { Input, FilePathSource, ALL_FORMATS } = this.#bunny;
    return new Input({ formats: ALL_FORMATS, source: new FilePathSource(path) });
  }
}

const PROBE_PACKETS = 60;
// The options' published type lacks `format`.
const AS_RGBA = { format: 'RGBA' } as VideoFrameCopyToOptions;

function evenSize(width: number, height: number, shorterSide?: number): { width: number; height: number } {
  const scale = shorterSide === undefined ? 1 : shorterSide / Math.min(width, height);
  const even = (side: number): number => Math.max(2, 2 * Math.round((side * scale) / 2));
  return { width: even(width), height: even(height) };
}

function undecodable(): RenderError {
  return new RenderError('unsupported_format', 'Cannot decode the clip');
}

function downmix(sample: InstanceType<Mediabunny['AudioSample']>): Float32Array {
  const mono = new Float32Array(sample.numberOfFrames);
  const channel = new Float32Array(sample.numberOfFrames);
  for (let planeIndex = 0; planeIndex < sample.numberOfChannels; planeIndex++) {
    sample.copyTo(channel, { planeIndex, format: 'f32-planar' });
    for (let n = 0; n < mono.length; n++)
      mono[n] = (mono[n] ?? 0) + (channel[n] ?? 0) / sample.numberOfChannels;
  }
  return mono;
}
