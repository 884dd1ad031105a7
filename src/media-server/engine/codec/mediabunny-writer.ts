import type * as mediabunny from 'mediabunny';
import type { Pixels } from '../pixels.ts';
import { RenderError } from '../render-error.ts';
import type { VideoWriter, WriteVideoOptions } from './codec.ts';

type Mediabunny = typeof mediabunny;

/** Bits per pixel and frame: about what a phone records with. */
const BITS_PER_PIXEL = 0.12;
const SOUND_BITRATE = 128_000;
const SOUND_PIECE_FRAMES = 4_096;

/** Writes an MP4: pictures as they come, then the sound, then the index. */
export class MediabunnyWriter implements VideoWriter {
  readonly #bunny: Mediabunny;
  readonly #options: WriteVideoOptions;
  readonly #output: InstanceType<Mediabunny['Output']>;
  readonly #pictures: InstanceType<Mediabunny['VideoSampleSource']>;
  readonly #writeSound: () => Promise<void>;
  #end = 0;
  #ended = false;

  private constructor(
    bunny: Mediabunny,
    options: WriteVideoOptions,
    parts: {
      output: InstanceType<Mediabunny['Output']>;
      pictures: InstanceType<Mediabunny['VideoSampleSource']>;
      writeSound: () => Promise<void>;
    },
  ) {
    this.#bunny = bunny;
    this.#options = options;
    this.#output = parts.output;
    this.#pictures = parts.pictures;
    this.#writeSound = parts.writeSound;
  }

  static async start(bunny: Mediabunny, options: WriteVideoOptions): Promise<MediabunnyWriter> {
    const { path, width, height, frameRate } = options;
    const output = new bunny.Output({
      format: new bunny.Mp4OutputFormat({ fastStart: false }),
      target: new bunny.FilePathTarget(path),
    });
    const pictures = new bunny.VideoSampleSource({
      codec: 'avc',
      bitrate: Math.round(width * height * frameRate * BITS_PER_PIXEL),
      latencyMode: 'realtime',
    });
    output.addVideoTrack(pictures, { frameRate });
    const writeSound = await addSound(bunny, output, options);
    await output.start();
    return new MediabunnyWriter(bunny, options, { output, pictures, writeSound });
  }

  async add(pixels: Pixels, timestamp: number, duration: number): Promise<void> {
    const { width, height } = this.#options;
    using sample = new this.#bunny.VideoSample(pixels.data, {
      format: 'RGBA',
      codedWidth: width,
      codedHeight: height,
      timestamp,
      duration,
    });
    await this.#pictures.add(sample);
    this.#end = timestamp + duration;
  }

  async finish(): Promise<number> {
    await this.#writeSound();
    await this.#output.finalize();
    this.#ended = true;
    return this.#end;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#ended) return;
    this.#ended = true;
    await this.#output.cancel();
  }
}

async function addSound(
  bunny: Mediabunny,
  output: InstanceType<Mediabunny['Output']>,
  { sound }: WriteVideoOptions,
): Promise<() => Promise<void>> {
  if (sound.from === 'samples') {
    const source = new bunny.AudioSampleSource({ codec: 'aac', bitrate: SOUND_BITRATE });
    output.addAudioTrack(source);
    return async () => {
      const { samples, sampleRateHz } = sound;
      for (let at = 0; at < samples.length; at += SOUND_PIECE_FRAMES) {
        using sample = new bunny.AudioSample({
          data: samples.subarray(at, at + SOUND_PIECE_FRAMES),
          format: 'f32',
          numberOfChannels: 1,
          sampleRate: sampleRateHz,
          timestamp: at / sampleRateHz,
        });
        await source.add(sample);
      }
      source.close();
    };
  }
  if (sound.from === 'nowhere') return () => Promise.resolve();
  const input = new bunny.Input({ formats: bunny.ALL_FORMATS, source: new bunny.FilePathSource(sound.path) });
  const track = await input.getPrimaryAudioTrack();
  if (!track?.codec) return () => Promise.resolve();
  const source = new bunny.EncodedAudioPacketSource(track.codec);
  const decoderConfig = await track.getDecoderConfig();
  if (!decoderConfig) throw new RenderError('unsupported_format', 'Cannot copy the sound of the clip');
  output.addAudioTrack(source);
  return async () => {
    for await (const packet of new bunny.EncodedPacketSink(track).packets()) {
      await source.add(packet, { decoderConfig });
    }
    source.close();
    input.dispose();
  };
}
