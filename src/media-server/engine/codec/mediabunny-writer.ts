import { rm } from 'node:fs/promises';
import type * as mediabunny from 'mediabunny';
import type { Pixels } from '../pixels.ts';
import type { VideoWriter, WriteVideoOptions } from './codec.ts';
import { moveIndexToFront } from './fast-start.ts';
import { type AvFrame, type NodeAv } from './node-av.ts';
import { type SoundTrack, addSound } from './sound-track.ts';
import { type H264Packet, VideoEncoder, fillFrame, newFrame } from './video-encoder.ts';
import { rgbaToYuv } from './yuv-convert.ts';
import { HD_COLOURS, type YuvPicture, yuvSizeBytes } from './yuv-picture.ts';

type Mediabunny = typeof mediabunny;

/** The number of pictures that may wait, so that the encoder works while the caller prepares the next picture. */
const WAITING_MAX = 2;
/**
 * The sound is written this far ahead of the pictures, so that matching sound and pictures are close together
 * in the file.
 */
const SOUND_AHEAD_SECONDS = 0.5;
const FRAME_RATE_MAX = 240;
/** A placeholder. The codec string in the file is generated from the first packet. */
const ANY_H264 = 'avc1.640028';

/**
 * Writes an MP4 with its index at the front. Pictures are written as they arrive, interleaved with the sound.
 */
export class MediabunnyWriter implements VideoWriter {
  readonly #bunny: Mediabunny;
  readonly #av: NodeAv;
  readonly #options: WriteVideoOptions;
  readonly #output: mediabunny.Output;
  readonly #pictures: mediabunny.EncodedVideoPacketSource;
  readonly #sound: SoundTrack;
  readonly #frames: AvFrame[];
  #encoder: VideoEncoder | undefined;
  #converted: YuvPicture | undefined;
  /**
   * Resolves when all pictures so far are encoded. Each promise in `#waiting` resolves when its frame is free again.
   */
  #work: Promise<void> = Promise.resolve();
  #waiting: Promise<void>[] = [];
  #count = 0;
  #end = 0;
  #ended = false;

  private constructor(
    bunny: Mediabunny,
    av: NodeAv,
    options: WriteVideoOptions,
    parts: {
      output: mediabunny.Output;
      pictures: mediabunny.EncodedVideoPacketSource;
      sound: SoundTrack;
    },
  ) {
    this.#bunny = bunny;
    this.#av = av;
    this.#options = options;
    this.#output = parts.output;
    this.#pictures = parts.pictures;
    this.#sound = parts.sound;
    this.#frames = Array.from({ length: WAITING_MAX }, () => newFrame(av, options));
  }

  static async start(bunny: Mediabunny, av: NodeAv, options: WriteVideoOptions): Promise<MediabunnyWriter> {
    const output = new bunny.Output({
      format: new bunny.Mp4OutputFormat({ fastStart: false }),
      target: new bunny.FilePathTarget(options.path),
    });
    const pictures = new bunny.EncodedVideoPacketSource('avc');
    output.addVideoTrack(pictures);
    const sound = await addSound({ bunny, av }, output, options.sound);
    try {
      await output.start();
      return new MediabunnyWriter(bunny, av, options, { output, pictures, sound });
    } catch (error) {
      await sound[Symbol.asyncDispose]();
      await output.cancel();
      await rm(options.path, { force: true });
      throw error;
    }
  }

  async add(picture: Pixels | YuvPicture, timestamp: number, duration: number): Promise<void> {
    const planes = 'colours' in picture ? picture : this.#convert(picture);
    if (this.#waiting.length >= WAITING_MAX) await this.#waiting.shift();
    this.#encoder ??= await this.#openEncoder(planes);
    const frame = this.#frames[this.#count++ % WAITING_MAX];
    if (!frame) throw new TypeError('Cannot encode without a frame');
    fillFrame(this.#av, frame, planes, { timestamp, duration });
    this.#end = Math.max(this.#end, timestamp + duration);
    this.#work = this.#work.then(() => this.#encode(frame, timestamp));
    // A failure is reported by the next call that waits for this work.
    this.#work.catch(() => undefined);
    this.#waiting.push(this.#work);
  }

  async finish(): Promise<number> {
    await this.#work;
    if (!this.#encoder) throw new TypeError('Cannot finish a clip without pictures');
    await this.#write(await this.#encoder.encode(undefined));
    this.#pictures.close();
    await this.#sound.finish();
    await this.#output.finalize();
    await moveIndexToFront(this.#options.path);
    this.#ended = true;
    this.#free();
    return this.#end;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#ended) return;
    this.#ended = true;
    await this.#work.catch(() => undefined);
    this.#free();
    await this.#sound[Symbol.asyncDispose]();
    await this.#output.cancel();
    await rm(this.#options.path, { force: true });
  }

  #convert(picture: Pixels): YuvPicture {
    const { width, height } = picture;
    this.#converted ??= {
      width,
      height,
      data: new Uint8Array(yuvSizeBytes(width, height)),
      colours: HD_COLOURS,
    };
    rgbaToYuv(picture, { x: 0, y: 0, width, height }, this.#converted);
    return this.#converted;
  }

  async #openEncoder({ width, height, colours }: YuvPicture): Promise<VideoEncoder> {
    if (width !== this.#options.width || height !== this.#options.height)
      throw new TypeError('Cannot encode a picture of another size');
    const frameRate = Math.min(FRAME_RATE_MAX, this.#options.frameRate || 1);
    return await VideoEncoder.open(this.#av, { width, height, frameRate, colours });
  }

  async #encode(frame: AvFrame, timestamp: number): Promise<void> {
    await this.#write((await this.#encoder?.encode(frame)) ?? []);
    await this.#sound.writeUntil(timestamp + SOUND_AHEAD_SECONDS);
  }

  async #write(packets: readonly H264Packet[]): Promise<void> {
    const { width: codedWidth, height: codedHeight } = this.#options;
    for (const { data, isKey, timestamp, duration } of packets) {
      const packet = new this.#bunny.EncodedPacket(data, isKey ? 'key' : 'delta', timestamp, duration);
      await this.#pictures.add(packet, { decoderConfig: { codec: ANY_H264, codedWidth, codedHeight } });
    }
  }

  #free(): void {
    this.#encoder?.[Symbol.dispose]();
    for (const frame of this.#frames) frame.free();
  }
}
